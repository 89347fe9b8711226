// The manifest of a pulled folder: which record each file is, with its hash; appended file by file, whole after kill -9.
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { Sha256 } from '../contract/quantity.ts';
import { Fault } from '../faults.ts';
import { diskFault } from '../disk-fault.ts';
import { isOutside } from './sums.ts';

export const MANIFEST_FILE = '.arx-manifest.ndjson';

/** One record: `path` is relative to the folder, null for a redacted row, which has no file. */
export const ManifestEntry = z.object({
  id: z.string().min(1),
  path: z
    .string()
    .refine((path) => !isOutside(path))
    .nullable(),
  sha256: Sha256,
  bytes: z.number().int().min(0).nullable(),
  redacted: z.boolean(),
});
export type ManifestEntry = z.infer<typeof ManifestEntry>;

export type Manifest = {
  /** The newest entry of each id, in order of their first appearance. */
  entries: Map<string, ManifestEntry>;
  /** Durable when it resolves. Throws Fault `disk`. */
  add(entry: ManifestEntry): Promise<void>;
  close(): Promise<void>;
};

/** The entries of a folder; empty where it has no manifest. Fault `store` for a damaged one, naming the line. */
export async function readManifest(dir: string): Promise<Map<string, ManifestEntry>> {
  try {
    return parse(await readFile(join(dir, MANIFEST_FILE), 'utf8')).entries;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw diskFault(error, MANIFEST_FILE);
  }
}

/** Opens the manifest for appending, made when missing; a line torn by a kill is cut off. Never follows a symlink. */
export async function openManifest(dir: string): Promise<Manifest> {
  try {
    const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(
      join(dir, MANIFEST_FILE),
      O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
      0o600,
    );
    try {
      if (!(await file.stat()).isFile()) throw new Fault('unsafe', `${MANIFEST_FILE} is not a regular file`);
      const { entries, bytes } = parse(await file.readFile('utf8'));
      await file.truncate(bytes);
      return {
        entries,
        async add(entry) {
          try {
            await file.appendFile(`${JSON.stringify(entry)}\n`);
            await file.datasync();
          } catch (error) {
            throw diskFault(error, MANIFEST_FILE);
          }
          entries.set(entry.id, entry);
        },
        close: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw diskFault(error, MANIFEST_FILE);
  }
}

function parse(text: string): { entries: Map<string, ManifestEntry>; bytes: number } {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const entries = new Map<string, ManifestEntry>();
  for (const [index, line] of whole.split('\n').slice(0, -1).entries()) {
    const entry = ManifestEntry.safeParse(parseLine(line));
    if (!entry.success) throw new Fault('store', `${MANIFEST_FILE}: line ${index + 1} is damaged`);
    entries.set(entry.data.id, entry.data);
  }
  return { entries, bytes: Buffer.byteLength(whole) };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
