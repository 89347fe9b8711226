// Checks the names of `--fields` against the record that a command prints, before anything is requested.
import type { CommandWords } from '../command-list/index.ts';
import { printedRecord, type PrintingRun } from '../command-list/printed-records.ts';
import { fieldsOf, isOpenRecord, isOpenType, type RecordField } from '../contract/record-fields.ts';
import { Fault } from '../faults.ts';
import { headingNotice, type SelectedField } from '../format/field-selection.ts';
import { completeRecordOf, type CompleteRecord } from '../format/record-shape.ts';
import { suggestField } from '../format/field-suggestion.ts';
import { FIELDS_OF_HEADING } from '../format/heading-fields.ts';
import type { TemplateName } from '../format/template-sink.ts';
import type { SelectableField } from '../format/views/record-field.ts';

/**
 * Returns the fields with their paths. A name that no field has from the beginning is the field that ends with it and is
 * least deep: `subject` is `data.subject` in `content get`. The heading of a column is the field that it shows, which is said by
 * `notice`. Throws Fault 'usage' with the nearest name for a field that no record can have. Another service may send fields that
 * the schema lacks: then the rows decide.
 */
export function selectFields(
  names: readonly string[],
  words: CommandWords,
  { run, notice }: { run: PrintingRun; notice(text: string): void },
): SelectedField[] {
  const schema = printedRecord(words, { ...run, isSelection: true });
  if (schema === undefined) return names.map((name) => ({ name, path: name, isKnown: false }));
  const legal = fieldsOf(schema);
  const hint = `arx ${words} --fields lists the fields`;
  return names.map((name) => {
    const path = pathOf(name, legal);
    if (path !== undefined) return { name, path, isKnown: true };
    const shownField = fieldOfHeading(name, legal);
    const mayBeSent = run.isRemote && isOpenRecord(schema);
    if (shownField !== undefined && !mayBeSent) {
      if (shownField !== name.toLowerCase()) notice(headingNotice('--fields', name, shownField));
      return { name, path: shownField, isKnown: true };
    }
    if (run.given['count'] === true)
      throw new Fault('usage', `--fields ${name} does not go with --count, which prints no rows`);
    const meant = suggestField(name, namesOf(legal));
    const detail = { hint: meant === undefined ? hint : `did you mean: ${meant}; ${hint}` };
    if (!mayBeSent) throw new Fault('usage', `--fields: no record has the field ${name}`, detail);
    const shown = shownField === undefined ? {} : { shownField };
    return { name, path: name, isKnown: false, ...detail, ...shown };
  });
}

/** Returns the field that the column of a table shows, in any case of its heading. */
function fieldOfHeading(heading: string, legal: readonly RecordField[]): string | undefined {
  const name = heading.toLowerCase().replaceAll(' ', '_');
  return [name, ...(FIELDS_OF_HEADING.get(name) ?? [])].find((field) => isLegal(field, legal));
}

/** Returns how each record gets every key of its schema, undefined where it may have any fields. */
export function completeRecords(words: CommandWords, run: PrintingRun): CompleteRecord | undefined {
  const schema = printedRecord(words, run);
  return schema === undefined ? undefined : completeRecordOf(fieldsOf(schema).map(({ name }) => name));
}

/**
 * A name in a template that is no field of the schema from the beginning. `paths`: the dot paths that it may mean where records have
 * fields that the schema lacks; empty where they have none. `field`: the field that it stands for as in {@link selectFields}, if there
 * is one. `isHeading`: that is the field of a column. `isInList`: the name is a field in a list, which a template reaches only by a section. `hint`: what to do where no record has the name.
 */
export type IndirectName = {
  of: TemplateName;
  paths: readonly string[];
  field: string | undefined;
  isHeading: boolean;
  isInList: boolean;
  hint: string;
};

/** Returns the Fault for a name in a template that no record has. */
export function noTemplateField({ of: { name }, isInList, hint }: IndirectName): Fault {
  const what = isInList ? `${name} is in a list, and needs a section` : `no record has the field ${name}`;
  return new Fault('usage', `--template: ${what}`, { hint });
}

/** Returns the names in a template that are no fields from the beginning, with the fields that they stand for. */
export function indirectNames(
  names: readonly TemplateName[],
  words: CommandWords,
  run: PrintingRun,
): IndirectName[] {
  const schema = printedRecord(words, { ...run, isSelection: true });
  if (schema === undefined) return [];
  const mayBeSent = run.isRemote && isOpenRecord(schema);
  const legal = fieldsOf(schema);
  const hint = `arx ${words} --fields lists the fields`;
  return names.flatMap((of): IndirectName[] => {
    const { name, sections } = of;
    const within = sections.map((_, depth) => [...sections.slice(depth).toReversed(), name].join('.'));
    const paths = [...within, name];
    if (paths.some((path) => isLegal(path, legal) && !crossesList(path, name, legal))) return [];
    const inList = paths.find((path) => isLegal(path, legal));
    const isInList = inList !== undefined;
    const deeper = inList ?? pathOf(name, legal);
    const isReadable = deeper !== undefined && listAbove(deeper, legal) === undefined;
    const heading = isReadable || isInList ? undefined : fieldOfHeading(name, legal);
    const meant = deeper ?? suggestField(name, namesOf(legal));
    return [
      {
        of,
        paths: mayBeSent && !isInList ? paths : [],
        isInList,
        field: isReadable ? deeper : heading,
        isHeading: heading !== undefined && heading !== name.toLowerCase(),
        hint: meant === undefined ? hint : `did you mean: ${tagOf(meant, legal)}; ${hint}`,
      },
    ];
  });
}

/** Returns the outermost list in which a field stands, where a template reaches it only by a section. */
function listAbove(path: string, legal: readonly RecordField[]): string | undefined {
  return legal.find(({ name, type }) => type.startsWith('list of ') && path.startsWith(`${name}.`))?.name;
}

/** Returns whether the name at the end of a path reaches into a list: the sections before it do not enter that list. */
function crossesList(path: string, name: string, legal: readonly RecordField[]): boolean {
  const entered = path.length - name.length;
  return legal.some(
    (field) =>
      field.type.startsWith('list of ') && path.startsWith(`${field.name}.`) && field.name.length >= entered,
  );
}

/** Returns how a template shows a field: `{{subject}}`, in a list `{{#messages.data}}{{subject}}{{/messages.data}}`. */
function tagOf(path: string, legal: readonly RecordField[]): string {
  const list = listAbove(path, legal);
  return list === undefined ? `{{${path}}}` : `{{#${list}}}{{${path.slice(list.length + 1)}}}{{/${list}}}`;
}

/** Returns the legal fields of a command. Throws Fault 'usage' where its rows may have any fields. */
export function legalFields(words: CommandWords, run: PrintingRun): SelectableField[] {
  const selectable = printedRecord(words, { ...run, isSelection: true });
  const shown = printedRecord(words, run);
  if (selectable === undefined || shown === undefined)
    throw new Fault('usage', `--fields: arx ${words} prints no record of a fixed shape`, {
      hint: 'name the fields of its rows: --fields a,b',
    });
  const always = new Set(fieldsOf(shown).map(({ name }) => name));
  return fieldsOf(selectable).map((field) => {
    const isSelected = !always.has(field.name);
    return { ...field, required: field.required && !isSelected, only_selected: isSelected };
  });
}

function isLegal(name: string, legal: readonly RecordField[]): boolean {
  if (legal.some((field) => field.name === name)) return true;
  const open = legal.filter((field) => name.startsWith(`${field.name}.`));
  return open.some(({ type, name: above }) => isOpenType(type) && !hasMembers(above, legal));
}

function pathOf(name: string, legal: readonly RecordField[]): string | undefined {
  if (isLegal(name, legal)) return name;
  const deeper = legal.filter((field) => field.name.endsWith(`.${name}`));
  const depth = Math.min(...deeper.map(depthOf));
  const [only, ...others] = deeper.filter((field) => depthOf(field) === depth);
  return others.length === 0 ? only?.name : undefined;
}

function hasMembers(name: string, legal: readonly RecordField[]): boolean {
  return legal.some((field) => field.name.startsWith(`${name}.`));
}

function depthOf({ name }: RecordField): number {
  return name.split('.').length;
}

function namesOf(fields: readonly RecordField[]): string[] {
  return fields.map(({ name }) => name);
}
