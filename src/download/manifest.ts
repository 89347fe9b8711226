// The manifest of a pulled folder: which record each file is, with its hash; appended file by file, whole after kill -9.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { Sha256 } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { leavesFolder } from '../verify/checksum-list.ts';
import { readBounded, readReferenceFile } from '../verify/reference-file.ts';

export const MANIFEST_FILE = '.arx-manifest.ndjson';

/** Lines between two syncs. A line that a power cut takes is no loss: the next pull knows the file by its hash. */
const LINES_PER_SYNC = 256;

/** One record: `path` is relative to the folder, null for a redacted row, which has no file. */
export const ManifestEntry = z.object({
  id: z.string().min(1),
  path: z
    .string()
    // On Windows these would leave it too, and no name that we gave has them.
    .refine((path) => !leavesFolder(path) && !/[\\:]/.test(path))
    .nullable(),
  sha256: Sha256,
  bytes: z.number().int().min(0).nullable(),
  redacted: z.boolean(),
});
export type ManifestEntry = z.infer<typeof ManifestEntry>;

export type Manifest = {
  /** The newest entry of each id, in order of their first appearance. */
  entries: Map<string, ManifestEntry>;
  /** Written soon unless it stands there already, or an earlier one could not be. */
  add(entry: ManifestEntry): void;
  /** Durable when it resolves. Throws Fault `disk` where some entry could not be written. */
  close(): Promise<void>;
};

/**
 * The entries of a folder, undefined where it has no manifest. Fault `store` for a damaged one, naming the line; for
 * what is no manifest at all see witness.ts.
 */
export async function readManifest(dir: string): Promise<Map<string, ManifestEntry> | undefined> {
  const bytes = await readReferenceFile(dir, MANIFEST_FILE);
  return bytes === undefined ? undefined : parse(bytes).entries;
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
      const found = await readBounded(file, MANIFEST_FILE);
      const { entries, whole } = parse(found);
      // Only a torn end: another pull may have added lines meanwhile.
      if (whole < found.length) await file.truncate(whole);
      let unsynced = 0;
      let waiting = '';
      let writing: Promise<void> | undefined;
      let failure: { error: unknown } | undefined;
      const onDisk = async (work: () => Promise<void>): Promise<void> => {
        try {
          await work();
        } catch (error) {
          throw diskFault(error, MANIFEST_FILE);
        }
      };
      // What comes while lines are written is written with the next.
      const write = async (): Promise<void> => {
        // All that is known in this turn is one write.
        await setImmediate();
        while (waiting !== '') {
          const lines = waiting;
          waiting = '';
          await file.appendFile(lines);
          if (unsynced < LINES_PER_SYNC) continue;
          unsynced = 0;
          await file.datasync();
        }
        writing = undefined;
      };
      return {
        entries,
        add(entry) {
          if (failure !== undefined) return;
          const line = JSON.stringify(entry);
          if (JSON.stringify(entries.get(entry.id)) === line) return;
          entries.set(entry.id, entry);
          waiting += `${line}\n`;
          unsynced += 1;
          writing ??= write().catch((error: unknown) => void (failure = { error }));
        },
        close: () =>
          onDisk(async () => {
            try {
              await writing;
              if (failure !== undefined) throw failure.error;
              await file.datasync();
            } finally {
              await file.close();
            }
          }),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw diskFault(error, MANIFEST_FILE);
  }
}

/** Line by line, as a text of all of them would stay in memory; `whole` is how many bytes of whole lines there are. */
function parse(bytes: Buffer): { entries: Map<string, ManifestEntry>; whole: number } {
  const entries = new Map<string, ManifestEntry>();
  let whole = 0;
  for (let number = 1; ; number++) {
    const end = bytes.indexOf(NEWLINE, whole);
    if (end < 0) return { entries, whole };
    const entry = ManifestEntry.safeParse(parseLine(bytes.toString('utf8', whole, end)));
    if (!entry.success) throw new Fault('store', `${MANIFEST_FILE}: line ${number} is damaged`);
    entries.set(entry.data.id, entry.data);
    whole = end + 1;
  }
}

const NEWLINE = 0x0a;

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
