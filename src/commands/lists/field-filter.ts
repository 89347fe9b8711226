// One filter of a list: whether a row has its value, and what is known about how the service applies it.
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';

/** A filter: the query parameter, the field of a row that it is about, and the value that the field must have. */
export type FieldFilter = {
  parameter: string;
  field: string;
  value: string | boolean;
  /** The value of a row that does not show the field; absent: it cannot be told. */
  absent?: string | boolean;
};

/** A value that no row has. */
const ABSENT_VALUE = 'arx-no-such-value';

/** Returns whether a row has the value of a filter; undefined where it does not show the field. */
export function shows(row: object, { field, value, absent }: FieldFilter): boolean | undefined {
  const fields = row as Record<string, unknown>;
  const shown = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (shown === undefined) return absent === undefined ? undefined : absent === value;
  // A withheld row may hide its fields (interface 2.1).
  if (shown === null && fields['redacted'] === true) return undefined;
  return shown === value || (typeof shown === 'number' && String(shown) === value);
}

/** Returns the same filter with another value: the opposite of a flag, or a value that no row has. */
export function opposite(filter: FieldFilter): FieldFilter {
  const { value } = filter;
  return { ...filter, value: typeof value === 'boolean' ? !value : ABSENT_VALUE };
}

/** What is known about a filter at one service, and how many rows do not show its field. */
export class FilterState {
  readonly filter: FieldFilter;
  /** Whether the service refuses the parameter, or gives no row for a value that rows have: it is not sent. */
  isRefused = false;
  /** Whether the service gave a row with another value. */
  isContradicted = false;
  /** Whether the service was seen to look at the value; undefined before it was asked. */
  isObeyed: boolean | undefined;
  /** Whether the service was seen to leave out rows that match. */
  isLeaky = false;
  /** Whether the service gave no row for the value, and no row shows the field. */
  isUntested = false;
  /** Rows that do not show the field: those that were kept, and those that were left out. */
  kept = 0;
  leftOut = 0;

  constructor(filter: FieldFilter) {
    this.filter = filter;
  }

  /** Returns whether a row that does not show the field can be taken to match. Our service is believed without being asked. */
  isTrusted(isOurs: boolean): boolean {
    return !this.isRefused && !this.isContradicted && (isOurs || this.isObeyed === true);
  }

  /** Returns whether the service looks at the value, or may do so, and gave a row with another one. */
  isAppliedWrongly(): boolean {
    return this.isContradicted && (this.isObeyed === true || typeof this.filter.value === 'boolean');
  }

  /** Returns, after the last row, why rows may be wrong or missing. */
  fault(): Fault | undefined {
    const count = this.leftOut > 0 ? this.leftOut : this.isContradicted ? this.kept : 0;
    if (count === 0 && this.isUntested) {
      const { parameter, field } = this.filter;
      const message = `cannot tell whether the service knows the filter ${parameter}: it gives no rows for it`;
      return new Fault('partial', `${message}, and no row shows ${field}`);
    }
    if (count === 0 && this.isLeaky) {
      const message = `the service leaves out rows that match the filter ${this.filter.parameter}, so rows may be missing`;
      return new Fault('partial', message);
    }
    if (count === 0) return undefined;
    const rows = `${plural(count, 'row')} ${count === 1 ? 'does' : 'do'} not show ${this.filter.field}`;
    const fate = `${count === 1 ? 'it was' : 'they were'} ${this.leftOut > 0 ? 'left out' : 'shown'}`;
    return new Fault('partial', `${rows}, so it cannot be told whether the filter matches: ${fate}`);
  }
}
