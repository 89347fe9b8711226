// Fills a bag with pulled files, their catalogue rows, a frozen walk, and an RO-Crate that describes them.
import { join } from 'node:path';
import type { Attachment } from '../contract/attachment.ts';
import { exactJsonText } from '../contract/exact-json.ts';
import { fileStateOf, reasonOf, type FileState } from '../contract/attachment-file.ts';
import { sameHash } from '../contract/scalars.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import type { BaggedWalk } from './frozen-walk.ts';
import { fileBytes, textBytes, type BagWriter, type WrittenFile } from './writer.ts';
import { digestFile } from '../verify/digest.ts';
import { mapConcurrent } from '../concurrency/map-concurrent.ts';
import type { ManifestEntry } from '../download/manifest.ts';
import { CONDITIONS, CRATE_FILE, crateText, type Crate, type CrateFile } from './ro-crate.ts';

/**
 * An entry of the pull's manifest, with its catalogue row; undefined if the catalogue was not asked or lacks it. `author`: the
 * sender of its message, where that is known.
 */
export type BagRecord = { entry: ManifestEntry; row: Attachment | undefined; author?: string | undefined };

/** Returns whether the file goes into the bag: a pull kept it. So a bag does not depend on what its maker may read by now. */
export const isIncluded = ({ entry }: BagRecord): boolean => entry.path !== null;

/** Returns whether the archive never had the file, as the pull saw it. */
export const isAbsent = ({ entry }: BagRecord): boolean => entry.absent === true;

/** Returns whether the archive gives the file, as far as it is known. */
export function stateNow({ entry, row }: BagRecord): FileState {
  if (row !== undefined) return fileStateOf(row);
  return entry.redacted ? 'withheld' : isAbsent({ entry, row }) ? 'absent' : 'available';
}

/** Returns why a file is not in the bag, where that is known. */
export const reasonFor = ({ entry, row }: BagRecord): string | undefined =>
  (row === undefined ? undefined : reasonOf(row)) ?? entry.reason;

/**
 * Returns the words for the number of files in a bag, and for how many it names and lacks, by the reason. That there are no others is not
 * known: the pull may have been of a part.
 */
export const countText = (given: number, withheld: number, absent: number): string =>
  `${given}${withheld > 0 ? `; withheld by it: ${withheld}` : ''}${absent > 0 ? `; never in it: ${absent}` : ''}`;

/** With one file at a time, the disk waits for the syncs. */
const MAX_CONCURRENT_FILES = 4;

/** Folders of the payload; the descriptions are beside them. */
const FILES = 'files';
const WALK = 'walk';
const CATALOGUE_FILE = 'catalogue.ndjson';

/**
 * Adds the files of the records, and returns them. If a file cannot be read or has another hash than was pulled, it returns
 * undefined and the bag must be discarded; `fail` is called for every such file.
 */
export async function addFiles(
  bag: BagWriter,
  dir: string,
  records: readonly BagRecord[],
  options: { signal: AbortSignal; fail: (fault: Fault) => void; onFile: () => void },
): Promise<CrateFile[] | undefined> {
  let failed = false;
  const files: CrateFile[] = [];
  const { signal } = options;
  const add = async ({ entry, row, author }: BagRecord): Promise<CrateFile | Fault> => {
    const name = entry.path!;
    const from = join(dir, name);
    const checked = ({ bytes, sha256 }: { bytes: number; sha256: string }): CrateFile => {
      if (entry.sha256 !== null && sameHash(sha256, entry.sha256))
        return fileOf(`${FILES}/${name}`, { bytes, sha256 }, { entry, row, author });
      throw new Fault(
        'integrity',
        `${name}: expected sha256 ${entry.sha256?.toLowerCase() ?? 'unknown'}, got ${sha256}`,
        { hint: 'run that pull again with --force, which replaces it' },
      );
    };
    try {
      if (!failed) return checked(await bag.add(`${FILES}/${name}`, fileBytes(from, name, signal)));
    } catch (error) {
      signal.throwIfAborted();
      const isFirst = !failed;
      failed = true;
      if (isFirst) return faultOf(error, name);
    }
    // After the first bad file the others are only hashed, so that all bad ones are reported.
    try {
      return checked(await digestFile(from, { signal }));
    } catch (error) {
      signal.throwIfAborted();
      return faultOf(error, name);
    }
  };
  for await (const result of mapConcurrent(each(records), MAX_CONCURRENT_FILES, add)) {
    if (result instanceof Fault) options.fail(result);
    else files.push(result);
    options.onFile();
  }
  return failed ? undefined : files;
}

/** Adds the catalogue rows, the walk, and last the crate, which names all files. */
export async function addDescriptions(
  bag: BagWriter,
  contents: {
    records: readonly BagRecord[];
    files: readonly CrateFile[];
    walk: BaggedWalk | undefined;
  },
  crate: Omit<Crate, 'description' | 'files' | 'withheld'> & { signal: AbortSignal },
): Promise<void> {
  const { records, walk } = contents;
  const withheld = records.filter((record) => !isIncluded(record));
  const absent = withheld.filter(isAbsent).length;
  const files = [...contents.files];
  const describe = ({ path, ...written }: WrittenFile, description: string): void => {
    const name = path.slice('data/'.length);
    files.push({ path: name, ...written, description, encodingFormat: 'application/x-ndjson' });
  };
  describe(
    await bag.add(CATALOGUE_FILE, textBytes(rowLines(records))),
    'The catalogue rows of these files as they were when the bag was made, one a line, with the path of each file in place of its address',
  );
  for (const [name, path] of walk?.files ?? []) {
    describe(
      await bag.add(`${WALK}/${name}`, fileBytes(path, name, crate.signal)),
      `Part of the frozen walk of the conversations with the head ${walk!.head}`,
    );
  }
  const { signal: _, ...known } = crate;
  const text = crateText({
    ...known,
    description: `Files with the SHA-256 that the archive gave them: ${countText(contents.files.length, withheld.length - absent, absent)}`,
    files,
    withheld: withheld.map((record) => ({
      id: record.entry.id,
      name: record.row?.filename,
      sha256: record.entry.sha256?.toLowerCase(),
      isAbsent: isAbsent(record),
      reason: reasonFor(record),
    })),
  });
  await bag.add(CRATE_FILE, textBytes(text));
}

function fileOf(
  path: string,
  { bytes, sha256 }: { bytes: number; sha256: string },
  record: BagRecord,
): CrateFile {
  const { entry, row, author } = record;
  const state = stateNow(record);
  const { filename, content_type: type, origin_city: city } = row ?? {};
  return {
    path,
    bytes,
    sha256,
    identifier: entry.id,
    ...(filename === undefined ? {} : { name: filename }),
    ...(type === undefined ? {} : { encodingFormat: type }),
    ...(city === undefined ? {} : { city }),
    ...(author === undefined ? {} : { author }),
    ...(state === 'available' ? {} : { conditionsOfAccess: CONDITIONS[state] }),
  };
}

function* rowLines(records: readonly BagRecord[]): Generator<string> {
  for (const record of records) yield rowLine(record);
}

/** The address is left out: whoever has it may read the file. */
function rowLine(record: BagRecord): string {
  const { entry, row } = record;
  const { file_url: _, ...shown } = row ?? { ...entry, file_url: null };
  return `${exactJsonText({ ...shown, path: isIncluded(record) ? `${FILES}/${entry.path}` : null })}\n`;
}

function faultOf(error: unknown, name: string): Fault {
  const cause = error instanceof Fault ? error.detail.cause : error;
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    return new Fault('integrity', `${name} is missing`);
  const fault = diskFault(error, name);
  if (fault instanceof Fault) return fault;
  throw error;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
