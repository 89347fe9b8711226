// Recognizes records that a schema would return as they are, in a fraction of the time that the schema takes.
import * as z from 'zod';
import { isoInstant } from '../../contract/instant-forms.ts';
import type { JsonRecord } from './json-path.ts';

/**
 * Returns a test of records. It is true only where the schema returns an equal record with the keys in the same order: all keys are
 * fields, in the order of the schema, and no value changes. An instant in one of `dates` that is written as a number is not usual.
 */
export function usualRecordTest(
  fields: ReadonlyMap<string, z.ZodType>,
  dates: readonly string[],
): (record: JsonRecord) => boolean {
  const usual = new Map(
    [...fields].map(([name, field], place) => {
      const test = returnsSame(field);
      const accepts = dates.includes(name)
        ? (value: unknown): boolean => isoInstant(value) === undefined && test(value)
        : test;
      return [name, { place, accepts, isRequired: !(field instanceof z.ZodOptional) }] as const;
    }),
  );
  const required = [...usual.values()].filter(({ isRequired }) => isRequired).length;
  return (record) => {
    let last = -1;
    let found = 0;
    for (const name in record) {
      const field = usual.get(name);
      if (field === undefined || field.place < last || !field.accepts(record[name])) return false;
      last = field.place;
      if (field.isRequired) found += 1;
    }
    return found === required;
  };
}

/** Returns a test that is true only for values that the schema returns as they are. */
function returnsSame(field: z.ZodType): (value: unknown) => boolean {
  if (field instanceof z.ZodOptional) return returnsSame(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodNullable) {
    const test = returnsSame(field.unwrap() as z.ZodType);
    return (value) => value === null || test(value);
  }
  const { checks = [] } = field.def as z.core.$ZodTypeDef & { checks?: z.core.$ZodCheck[] };
  const kinds = new Set(checks.map(({ _zod }) => _zod.def.check));
  if (field instanceof z.ZodString && kinds.size === 0) return (value) => typeof value === 'string';
  if (field instanceof z.ZodString && kinds.size === 1 && kinds.has('min_length')) {
    const least = field.minLength ?? 0;
    return (value) => typeof value === 'string' && value.length >= least;
  }
  if (field instanceof z.ZodBoolean && kinds.size === 0) return (value) => typeof value === 'boolean';
  const hasBounds = checks.every(
    ({ _zod: { def } }) => NUMBER_CHECKS.has(def.check) && !('inclusive' in def && def.inclusive === false),
  );
  if (field instanceof z.ZodNumber && hasBounds) {
    const [least, most] = [field.minValue ?? -Infinity, field.maxValue ?? Infinity];
    const { isInt } = field;
    return (value) =>
      typeof value === 'number' &&
      value >= least &&
      value <= most &&
      (isInt ? Number.isInteger(value) : Number.isFinite(value));
  }
  return (value) => {
    const parsed = field.safeParse(value);
    return parsed.success && parsed.data === value;
  };
}

const NUMBER_CHECKS: ReadonlySet<string> = new Set(['number_format', 'greater_than', 'less_than']);
