// Recognizes a body that reports an error although its status is a success.
import { flagOf } from '../../contract/flag.ts';
import { Fault } from '../../faults.ts';
import { safeText } from '../safe-text.ts';
import { fieldNamed, isRecord, keysByName } from './json-path.ts';

/** Values of `status` that mean a failure. */
const FAILED = new Set(['error', 'fail', 'failed', 'failure']);

/** Throws Fault 'protocol' for a body that reports an error: it is no empty list. */
export function checkNoError(body: unknown, status: number): void {
  const error = reportedError(body);
  if (error === undefined) return;
  const { words, code } = error;
  throw new Fault('protocol', `answer has status ${status} but says ${words}`, {
    status,
    ...(typeof code === 'string' && code !== '' ? { code: safeText(code, 80) } : {}),
  });
}

/** Returns the error that a body reports; undefined where it reports none. */
export function reportedError(body: unknown): { words: string; code: unknown } | undefined {
  if (!isRecord(body)) return undefined;
  // Once for all names: the body may be a map with many keys.
  const keys = keysByName(body);
  const field = (name: string): unknown => {
    const key = keys.get(name);
    return key === undefined ? undefined : body[key];
  };
  const error = [field('error'), field('errors')].find(isReported);
  const said = field('status');
  const isFailed = typeof said === 'string' && FAILED.has(said.toLowerCase());
  const isRefused = ['success', 'ok'].some((name) => flagOf(field(name)) === false);
  if (error === undefined && !isFailed && !isRefused) return undefined;
  const words = errorWords(error) ?? errorWords(field('message')) ?? 'that the request failed';
  return { words: safeText(words, 120), code: fieldNamed(error, 'code') };
}

/** Returns whether a field reports an error; null, false, '' and empty lists do not. */
function isReported(field: unknown): boolean {
  if (Array.isArray(field)) return field.length > 0;
  return isRecord(field) ? Object.keys(field).length > 0 : Boolean(field);
}

function errorWords(error: unknown): string | undefined {
  if (typeof error === 'string' && error !== '') return `error ${error}`;
  const inner: unknown = Array.isArray(error) ? error[0] : error;
  for (const name of ['code', 'title', 'message', 'detail']) {
    const words = fieldNamed(inner, name);
    if (typeof words === 'string' && words !== '') return `error ${words}`;
  }
  return undefined;
}
