// The selected fields of a run, and the check that records have them, before one is printed.
import { Fault } from '../faults.ts';
import {
  headingNotice,
  parseFieldSelection,
  type FieldSelection,
  type SelectedField,
} from './field-selection.ts';
import type { Envelope } from './json-output.ts';
import { readAhead } from './read-ahead.ts';

/** The fields that a template names and the schema lacks. */
export type TemplateFields = {
  /** Returns whether each of them is in these records or in earlier ones. */
  areIn(records: readonly object[]): boolean;
  /**
   * Takes the heading of a column for the field that it shows where neither these records nor earlier ones have a field of that name.
   * Throws Fault 'usage' for any other field that they lack.
   */
  check(records: readonly object[]): void;
};

/** The fields of a run. */
export type CheckedFields = {
  /** Returns the selection of `--fields`, undefined without one. */
  selection(): FieldSelection | undefined;
  /** Returns the paths of the selected fields, undefined where none were selected. */
  paths(): readonly string[] | undefined;
  /**
   * To be called before a record is printed, with the first ones. Takes the heading of a column for the field that it shows where none
   * of them has the field of that name. Throws Fault 'usage' for any other field that neither the schema nor one of them has.
   */
  check(first: readonly object[]): Promise<void>;
  /** Checks the first rows of a list; returns the list with all of them. */
  checkList<T extends object>(list: Envelope<T>): Promise<Envelope<T>>;
};

/** Returns the fields of a run. `note` prints a notice. */
export function createCheckedFields(
  fields: readonly SelectedField[] | undefined,
  templateFields: TemplateFields | undefined,
  note: (text: string) => Promise<void>,
): CheckedFields {
  let selected = fields;
  let selection = selected === undefined ? undefined : parseFieldSelection(selected);
  const areKnown = (records: readonly object[]): boolean =>
    (selection?.unknownIn(records) ?? []).length === 0 && (templateFields?.areIn(records) ?? true);
  const check = async (first: readonly object[]): Promise<void> => {
    if (first.length === 0) return;
    templateFields?.check(first);
    const unknown = selection?.unknownIn(first) ?? [];
    if (selected === undefined || unknown.length === 0) return;
    const shown = unknown.map((field) => {
      if (field.shownField === undefined) throw noField(field);
      return { field, path: field.shownField };
    });
    for (const { field, path } of shown) await note(`arx: ${headingNotice('--fields', field.name, path)}`);
    selected = selected.map((each) => {
      const path = shown.find(({ field }) => field === each)?.path;
      return path === undefined ? each : { ...each, path, isKnown: true };
    });
    selection = parseFieldSelection(selected);
  };
  return {
    selection: () => selection,
    paths: () => selected?.map(({ path }) => path),
    check,
    async checkList(list) {
      if (areKnown([])) return list;
      const { first, all } = await readAhead(list.rows, areKnown, { untilPause: false });
      await check(first);
      return { ...list, rows: all };
    },
  };
}

function noField({ name, hint }: SelectedField): Fault {
  return new Fault('usage', `--fields: no record has the field ${name}`, hint === undefined ? {} : { hint });
}
