// The fields of a record, read from its schema: names as dot paths, with types in words.
import * as z from 'zod';

/** A field of a record. `name` is a dot path, which goes through lists. `required`: every record has it. */
export type RecordField = { name: string; type: string; required: boolean };

/** Objects in objects are followed this deep. */
const MAX_DEPTH = 6;

/** Returns the fields of records of this schema, each object before the fields in it. */
export function fieldsOf(schema: z.ZodType): RecordField[] {
  const fields = new Map<string, RecordField>();
  for (const field of membersOf(schema, '', 0)) {
    const known = fields.get(field.name);
    // In a union the same name may stand in several branches.
    if (known === undefined || field.type === `${known.type} or null`) fields.set(field.name, field);
    else if (known.type !== field.type && known.type !== `${field.type} or null`)
      fields.set(field.name, { ...known, type: 'value' });
  }
  return [...fields.values()];
}

/** Returns whether a record may have fields that its schema does not name. */
export function isOpenRecord(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => isOpenRecord(option as z.ZodType));
  return schema instanceof z.ZodObject && schema.def.catchall !== undefined;
}

/** Returns whether any field may stand below a field of this type. */
export function isOpenType(type: string): boolean {
  return /^(list of )?(object|value)/.test(type);
}

function* membersOf(schema: z.ZodType, before: string, depth: number): Generator<RecordField> {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) {
    const branches = inner.options.map((option) => [...membersOf(option as z.ZodType, before, depth)]);
    const isInAll = (name: string): boolean =>
      branches.every((fields) => fields.some((field) => field.name === name && field.required));
    for (const field of branches.flat()) yield { ...field, required: isInAll(field.name) };
  } else if (inner instanceof z.ZodArray) yield* membersOf(inner.element as z.ZodType, before, depth);
  else if (inner instanceof z.ZodObject && depth < MAX_DEPTH) {
    for (const [key, member] of Object.entries(inner.shape)) {
      const field = member as z.ZodType;
      const name = before + key;
      yield { name, type: typeOf(field), required: !field.safeParse(undefined).success };
      yield* membersOf(field, `${name}.`, depth + 1);
    }
  }
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function typeOf(schema: z.ZodType): string {
  const name = typeName(unwrap(schema));
  return schema.safeParse(null).success && name !== 'value' ? `${name} or null` : name;
}

function typeName(type: z.ZodType): string {
  if (type instanceof z.ZodString || type instanceof z.ZodEnum) return 'text';
  if (type instanceof z.ZodNumber) return type.isInt ? 'whole number' : 'number';
  if (type instanceof z.ZodBoolean) return 'true or false';
  if (type instanceof z.ZodLiteral) {
    const [value] = type.values;
    return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'whole number' : 'true or false';
  }
  if (type instanceof z.ZodArray) return `list of ${typeName(unwrap(type.element as z.ZodType))}`;
  return type instanceof z.ZodObject || type instanceof z.ZodRecord ? 'object' : 'value';
}
