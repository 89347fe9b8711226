// Ids that the user gives in a file or through a pipe: one in each line, or rows of `-o ndjson` or `-o tsv`.
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import { collectBytes, readInputFile } from '../../config/input-file.ts';
import { Fault } from '../../faults.ts';

/** Kept in memory. Rows of a million attachments have fewer. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;
const NEWLINE = 10;

const ROWS_HINT = 'give one id in each line, or the rows that a list prints in a pipe, or with -o ndjson';

/**
 * Returns the ids of a file, or of standard input for `-`, each once, in their order. Of a row that is a JSON object it is the first of
 * `fields` that has a text, of a row of `-o tsv` the first column. Empty lines are skipped. Throws Fault 'usage' with the line for anything else.
 */
export async function readIds(file: string, fields: readonly string[], app: App): Promise<string[]> {
  const { world } = app;
  const name = file === '-' ? 'standard input' : file;
  if (file === '-' && world.stdin.isTTY)
    throw new Fault('usage', 'no ids come from standard input, which is a terminal', {
      hint: ({ arx }) =>
        `for example: ${arx} attachments ls --all -o ndjson | ${arx} attachments pull --ids -`,
    });
  const source =
    file === '-' ? world.stdin.bytes() : readInputFile(resolve(world.cwd, file), file, world.signal);
  const bytes = await collectBytes(source, MAX_LIST_BYTES);
  if (bytes.length > MAX_LIST_BYTES)
    throw new Fault('usage', `${name} is longer than ${MAX_LIST_BYTES} bytes`, { hint: 'give it in parts' });
  const ids = new Set<string>();
  let number = 0;
  for (const line of linesIn(bytes)) {
    number += 1;
    if (line === '') continue;
    if (number === 1 && line.split(',').some((name) => fields.includes(name)))
      throw new Fault('usage', `${name} is CSV`, { hint: ROWS_HINT });
    const id = line.startsWith('{') ? idOf(line, fields) : line.split('\t', 1)[0];
    if (id === undefined || /[\s\p{Cc}]/u.test(id))
      throw new Fault('usage', `${name}: line ${number} is no id, and no row with ${fields.join(' or ')}`, {
        hint: ROWS_HINT,
      });
    ids.add(id);
  }
  return [...ids];
}

/** Returns the ids with `-` replaced by those of standard input. Throws Fault 'usage' for two `-`, and as {@link readIds}. */
export async function withPipedIds(
  ids: readonly string[],
  fields: readonly string[],
  app: App,
): Promise<string[]> {
  const at = ids.indexOf('-');
  if (at < 0) return [...ids];
  if (ids.includes('-', at + 1)) throw new Fault('usage', 'standard input (-) can be read once');
  const piped = await readIds('-', fields, app);
  return [...ids.slice(0, at), ...piped, ...ids.slice(at + 1)];
}

function idOf(text: string, fields: readonly string[]): string | undefined {
  let row: Record<string, unknown>;
  try {
    row = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const values = fields.map((field) => (Object.hasOwn(row, field) ? row[field] : undefined));
  const value = values.find(
    (each): each is string | number => typeof each === 'number' || (typeof each === 'string' && each !== ''),
  );
  return value === undefined ? undefined : String(value);
}

function* linesIn(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    yield bytes.toString('utf8', start, end).trim();
    start = end + 1;
  }
}
