// The manifest of a pulled folder: which catalogue row each file is, with its hash. It is appended to, and survives kill -9.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { parseJsonBytes } from '../contract/json-text.ts';
import { Sha256 } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { leavesFolder } from '../verify/checksum-list.ts';
import { readBounded, readReferenceFile } from '../verify/reference-file.ts';

/** Name of the manifest in the target folder. */
export const MANIFEST_FILE = '.arx-manifest.ndjson';

/** A line that a power cut takes is no loss: the next pull knows the file by its hash. */
const LINES_PER_SYNC = 256;

/**
 * One line. `path` is relative to the folder; null for a row without a file: `redacted`, or `absent`, which the service never
 * had. A file that was kept before its row became so keeps `path` and `sha256`. The service may know no hash of such a file; then `sha256` is null. `reason` says why a file is not there; without `redacted` and
 * `absent` a pull could not keep it. `unlisted`: the list of the archive no longer had the row of a file that was kept; without `path`, the
 * file is no longer expected, and the id has no entry. `selections`: the options of the pulls that selected the row, such as `--city lisbon`;
 * none of pulls by id. It is absent where that is not known, as in manifests of early builds.
 */
export const ManifestEntry = z.object({
  id: z.string().min(1),
  path: z
    .string()
    // On Windows these leave the folder too, and no name that we gave has them.
    .refine((path) => !leavesFolder(path) && !/[\\:]/.test(path))
    .nullable(),
  sha256: Sha256.nullable(),
  bytes: z.number().int().min(0).nullable(),
  redacted: z.boolean(),
  absent: z.boolean().optional(),
  unlisted: z.literal(true).optional(),
  reason: z.string().optional(),
  selections: z.array(z.string()).optional(),
});
export type ManifestEntry = z.infer<typeof ManifestEntry>;

/** Returns whether a pull could not keep the file of this entry, and no earlier one did. */
export const isNotKept = ({ redacted, absent, reason }: ManifestEntry): boolean =>
  !redacted && absent !== true && reason !== undefined;

/** The entry of a file that a pull kept. */
export type KeptEntry = ManifestEntry & { path: string; sha256: string };

/** Returns whether a pull kept the file of this entry and verified it; the row may be withheld or absent by now. */
export const isKept = (entry: ManifestEntry | undefined): entry is KeptEntry =>
  entry != null && entry.path !== null && entry.sha256 !== null && !isNotKept(entry);

/** More selections than this are not recorded: a new text each day, such as of `--until`, would make a line longer each day. */
const MAX_SELECTIONS = 16;

/**
 * Returns the entry of a row that a pull selected by these options; undefined where it was named by its id. Where it is not known by which
 * options earlier pulls selected it, that stays unknown.
 */
export function withSelection(
  entry: ManifestEntry,
  earlier: ManifestEntry | undefined,
  selection: string | undefined,
): ManifestEntry {
  if (earlier !== undefined && earlier.selections === undefined) return entry;
  const selections = new Set(earlier?.selections);
  if (selection !== undefined) selections.add(selection);
  return { ...entry, selections: [...selections].slice(-MAX_SELECTIONS) };
}

/** The manifest of a target folder, open for new entries. */
export type Manifest = {
  /** The newest entry of each id, in order of their first appearance. */
  entries: Map<string, ManifestEntry>;
  /**
   * Adds an entry, which is written soon. One without selections keeps those of the earlier entry. Does nothing if it is there already,
   * or if an earlier one failed.
   */
  add(entry: ManifestEntry): void;
  /** Makes all entries durable. Throws Fault 'disk' where one could not be written. */
  close(): Promise<void>;
};

/**
 * Returns the entries of a folder by id; undefined if it has no manifest. Throws Fault 'store' with the line for a damaged
 * one, and as {@link readReferenceFile}.
 */
export async function readManifest(dir: string): Promise<Map<string, ManifestEntry> | undefined> {
  const bytes = await readReferenceFile(dir, MANIFEST_FILE);
  return bytes === undefined ? undefined : parse(bytes).entries;
}

/**
 * Opens the manifest for appending, and makes it if it is missing. Removes an incomplete last line, which a killed run may
 * leave. Follows no symlink. Throws as {@link readManifest}, and Fault 'disk'.
 */
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
      // Only an incomplete line is removed: another pull may have added lines meanwhile.
      if (whole < found.length) await file.truncate(whole);
      let unsynced = 0;
      let waiting = '';
      let writing: Promise<void> | undefined;
      let failure: { error: unknown } | undefined;
      const onDisk = async (work: () => Promise<void>): Promise<void> => {
        try {
          await work();
        } catch (error) {
          throw diskFault(error, join(dir, MANIFEST_FILE));
        }
      };
      // Entries that come while lines are written go into the next write.
      const write = async (): Promise<void> => {
        // All entries of one tick go into one write.
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
        add(given) {
          if (failure !== undefined) return;
          const selections = given.selections ?? entries.get(given.id)?.selections;
          const entry = selections === undefined ? given : { ...given, selections };
          const line = JSON.stringify(entry);
          if (JSON.stringify(entries.get(entry.id)) === line) return;
          setEntry(entries, entry);
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
    throw diskFault(error, join(dir, MANIFEST_FILE));
  }
}

/** `whole` is the number of bytes in complete lines. Parses line by line: the whole text would stay in memory. */
function parse(bytes: Buffer): { entries: Map<string, ManifestEntry>; whole: number } {
  const entries = new Map<string, ManifestEntry>();
  let whole = 0;
  for (let number = 1; ; number++) {
    const end = bytes.indexOf(NEWLINE, whole);
    if (end < 0) return { entries, whole };
    const entry = ManifestEntry.safeParse(parseJsonBytes(bytes.subarray(whole, end)));
    if (!entry.success) throw new Fault('store', `${MANIFEST_FILE}: line ${number} is damaged`);
    setEntry(entries, entry.data);
    whole = end + 1;
  }
}

function setEntry(entries: Map<string, ManifestEntry>, entry: ManifestEntry): void {
  if (entry.unlisted === true && entry.path === null) entries.delete(entry.id);
  else entries.set(entry.id, entry);
}

const NEWLINE = 0x0a;
