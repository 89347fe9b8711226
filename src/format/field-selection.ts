// The selection of fields by `--fields`: picks them from JSON and makes columns of them.
import { ExactNumber, exactJsonText } from '../contract/exact-json.ts';
import type { Cell, View } from './views/view.ts';

/** A field that a user selected: `name` as it was typed, and its dot path in the record. */
export type SelectedField = {
  name: string;
  path: string;
  /** The schema of the record has it. */
  isKnown: boolean;
  /** What to do where no record has it. */
  hint?: string;
  /** The field that a column of this name shows: it is meant where no record has the field `name`. */
  shownField?: string;
};

/** Returns what is said where the heading of a column was given in place of the field that it shows. */
export function headingNotice(option: '--fields' | '--template', name: string, field: string): string {
  return `${option}: ${name} is the heading of the field ${field}`;
}

/** The selection of fields. */
export type FieldSelection = {
  /** Returns the record with these fields only, nested as on the wire. A missing field is null. */
  pick(record: object): object;
  /** The fields as columns. Lists are joined by commas, objects are compact JSON. */
  view: View<object>;
  /** Returns the fields that the schema lacks, and that neither these records nor earlier ones have. */
  unknownIn(records: readonly object[]): SelectedField[];
  /** Returns the fields that no record had; none where there was no record. */
  unseen(): SelectedField[];
};

type Tree = Map<string, Tree>;

/** Returns the selection of these fields. A path goes through arrays: `assets.filename` is the filename of every asset. */
export function parseFieldSelection(fields: readonly SelectedField[]): FieldSelection {
  const paths = fields.map(({ path }) => path);
  const seen = new Set<string>();
  let records = 0;
  const tree: Tree = new Map();
  for (const path of paths) {
    let at = tree;
    for (const key of path.split('.')) at = at.get(key) ?? branch(at, key);
  }
  const values = (record: object, path: string): unknown[] => {
    const found = follow(record, path.split('.'));
    if (found.length > 0) seen.add(path);
    return found;
  };
  return {
    pick(record) {
      records += 1;
      for (const path of paths) values(record, path);
      return project(record, tree) as object;
    },
    view: {
      columns: fields.map(({ name, path }, index) => ({
        name,
        of(record: object): Cell {
          if (index === 0) records += 1;
          return values(record, path).map(textOf).join(',');
        },
        // Any field has an instant where it has one: those without are shortened.
        whole: false,
        // As in the columns of the table without --fields.
        instant(record: object): string | undefined {
          const found = values(record, path);
          return found.length === 1 && isInstant(found[0]) ? found[0] : undefined;
        },
      })),
    },
    unknownIn: (found) =>
      fields.filter(
        ({ path, isKnown }) => !isKnown && !seen.has(path) && !found.some((record) => hasField(record, path)),
      ),
    unseen: () => (records === 0 ? [] : fields.filter(({ path }) => !seen.has(path))),
  };
}

/** Returns whether a record has a field with this path. A path goes through arrays. */
export function hasField(record: object, path: string): boolean {
  return follow(record, path.split('.')).length > 0;
}

function branch(tree: Tree, key: string): Tree {
  const next: Tree = new Map();
  tree.set(key, next);
  return next;
}

function follow(value: unknown, keys: readonly string[]): unknown[] {
  const [key, ...rest] = keys;
  if (key === undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => follow(item, keys));
  return isRecord(value) && Object.hasOwn(value, key) ? follow(value[key], rest) : [];
}

function project(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => project(item, tree));
  if (!isRecord(value)) return null;
  // fromEntries defines own properties, so a field named __proto__ is a field.
  return Object.fromEntries(
    [...tree].map(([key, next]) => [key, Object.hasOwn(value, key) ? project(value[key], next) : null]),
  );
}

/** Returns whether a value of a record has fields or items. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,18}(?:Z|[+-]\d\d:?\d\d)$/.test(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : exactJsonText(value);
}
