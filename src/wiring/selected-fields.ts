// Checks the names of `--fields` against the record that a command prints, before anything is requested.
import type { CommandWords } from '../command-list/index.ts';
import { printedRecord, type PrintingRun } from '../command-list/printed-records.ts';
import { nearest } from '../contract/nearest.ts';
import { fieldsOf, isOpenRecord, isOpenType, type RecordField } from '../contract/record-fields.ts';
import { Fault } from '../faults.ts';
import type { SelectedField } from '../format/field-selection.ts';

/**
 * Returns the fields with their paths. A name that no field has from the beginning is the field that ends with it and is
 * least deep: `subject` is `data.subject` in `content get`. Throws Fault 'usage' with the nearest name for a field that no
 * record can have. Another service may send fields that the schema lacks: then the rows decide.
 */
export function selectFields(
  names: readonly string[],
  words: CommandWords,
  run: PrintingRun,
): SelectedField[] {
  const schema = printedRecord(words, run);
  if (schema === undefined) return names.map((name) => ({ name, path: name, isKnown: false }));
  const legal = fieldsOf(schema);
  const hint = `arx ${words} --fields lists the fields`;
  return names.map((name) => {
    const path = pathOf(name, legal);
    if (path !== undefined) return { name, path, isKnown: true };
    const meant = suggestion(name, legal);
    const detail = { hint: meant === undefined ? hint : `did you mean: ${meant}; ${hint}` };
    if (!run.isRemote || !isOpenRecord(schema))
      throw new Fault('usage', `--fields: no record has the field ${name}`, detail);
    return { name, path: name, isKnown: false, hint: detail.hint };
  });
}

/** Returns the legal fields of a command. Throws Fault 'usage' where its rows may have any fields. */
export function legalFields(words: CommandWords, run: PrintingRun): RecordField[] {
  const schema = printedRecord(words, run);
  if (schema === undefined)
    throw new Fault('usage', `--fields: arx ${words} prints no record of a fixed shape`, {
      hint: 'name the fields of its rows: --fields a,b',
    });
  return fieldsOf(schema);
}

function pathOf(name: string, legal: readonly RecordField[]): string | undefined {
  if (legal.some((field) => field.name === name)) return name;
  const open = legal.filter((field) => name.startsWith(`${field.name}.`));
  if (open.some(({ type, name: above }) => isOpenType(type) && !hasMembers(above, legal))) return name;
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

/** Returns the field that a name was meant to be: the nearest one, else one whose name has it as a word. */
function suggestion(typed: string, legal: readonly RecordField[]): string | undefined {
  const names = legal.map(({ name }) => name);
  return (
    nearest(typed, names) ??
    names.find((name) => name.split(/[._]/).includes(typed)) ??
    names.find((name) => nearest(typed, name.split(/[._]/)) !== undefined)
  );
}
