// `arx attachments pull`: downloads files while hashing them; a file gets its name only when its hash matches.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App, FileAccess } from '../../app.ts';
import { takeFile } from '../../client/files.ts';
import { everyRow } from '../../client/pages.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { PulledFile, PullReport } from '../../contract/report.ts';
import { Fault } from '../../faults.ts';
import { diskFault } from '../../disk-fault.ts';
import {
  keep,
  present as alreadyHere,
  removeStale,
  WrongBytes,
  type KeepOptions,
} from '../../verify/keep.ts';
import { inLanes } from '../../verify/lanes.ts';
import { openManifest, type Manifest, type ManifestEntry } from '../../verify/manifest.ts';
import { freeName, nameKey, nameTrouble } from '../../verify/name.ts';
import { reportOf } from '../../verify/verdicts.ts';
import { present } from '../input.ts';
import { printFiles } from './files.ts';
import { Filter, filterQuery, matches } from './filter.ts';

export const Input = Filter.extend({
  ids: z.array(z.string().min(1)).default([]),
  all: z.boolean().default(false),
  to: z.string().min(1).default('.'),
  exactNames: z.boolean().default(false),
  force: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

/** Files at once: with one, the disk and the service wait for each other. */
const AT_ONCE = 4;

export async function run(input: Input, app: App): Promise<void> {
  const isFiltered = Object.keys(filterQuery(input)).length > 0;
  const choices = [input.ids.length > 0, isFiltered, input.all].filter(Boolean).length;
  if (choices === 0) throw new Fault('usage', 'name attachments, or --city, or --all');
  if (choices > 1) {
    throw new Fault('usage', 'choose one of attachments by id, --all, and a filter such as --city');
  }
  const dir = resolve(app.world.cwd, input.to);
  await mkdir(dir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const inTheWay = error.code === 'EEXIST' || error.code === 'ENOTDIR';
    throw inTheWay ? new Fault('unsafe', `${dir} is not a folder`) : diskFault(error, dir);
  });
  await removeStale(dir, app.world.now());
  const selection = await select(input, app);
  const access = await app.files();
  const manifest = await openManifest(dir);
  const taken = new Map<string, string>();
  for (const { id, path } of manifest.entries.values()) if (path !== null) taken.set(nameKey(path), id);
  const progress = app.progress();
  const files: PulledFile[] = [];
  try {
    const place = { dir, manifest, taken, input, app, access };
    for await (const { file, entry, fault } of inLanes(selection.rows, AT_ONCE, (row) =>
      pullOne(row, place),
    )) {
      if (entry !== undefined) await manifest.add(entry);
      if (fault !== undefined) app.fail(fault);
      files.push(file);
      progress.update({ label: 'pulled', done: files.length, unit: 'files' });
    }
  } finally {
    await progress.end();
    await manifest.close();
  }
  const report = { ...reportOf(files, selection.complete()), files } satisfies PullReport;
  await printFiles(app, report);
  const { withheld, match } = report.verdicts;
  if (withheld > 0)
    app.fail(
      new Fault('partial', `${withheld} of ${files.length} files are withheld`, { kept: `${match} files` }),
    );
  else if (files.length === 0) app.fail(new Fault('partial', 'no file was asked for that the catalogue has'));
  if (!selection.complete()) app.fail(new Fault('partial', 'the list of files may be cut'));
}

async function select(
  input: Input,
  app: App,
): Promise<{ rows: AsyncIterable<Attachment>; complete: () => boolean }> {
  const client = await app.client();
  if (input.ids.length > 0) {
    async function* named(): AsyncGenerator<Attachment> {
      for (const id of input.ids) {
        try {
          yield (await client.attachment(id)).body;
        } catch (error) {
          if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
          app.fail(error);
        }
      }
    }
    return { rows: named(), complete: () => true };
  }
  const listing = everyRow(
    async (window) => (await client.attachments({ ...filterQuery(input), ...window })).body,
    (row) => row.id,
  );
  async function* asked(): AsyncGenerator<Attachment> {
    for await (const row of listing.rows) if (matches(input, row)) yield row;
  }
  return { rows: asked(), complete: listing.complete };
}

type Place = {
  dir: string;
  manifest: Manifest;
  taken: Map<string, string>;
  input: Input;
  app: App;
  access: FileAccess;
};

type Pulled = { file: PulledFile; entry?: ManifestEntry; fault?: Fault };

/** One file's fate; a failure is told and never stops the others, unless the run itself ends. */
async function pullOne(row: Attachment, place: Place): Promise<Pulled> {
  const { dir, input, app } = place;
  const sha256 = row.sha256.toLowerCase();
  const blank = {
    path: null,
    id: row.id,
    expected: sha256,
    actual: null,
    bytes: null,
    resumed_from: 0,
    attempts: 0,
  };
  if (row.redacted || row.file_url === null) {
    return {
      file: { ...blank, verdict: 'withheld' },
      entry: { id: row.id, path: null, sha256, bytes: row.bytes ?? null, redacted: true },
    };
  }
  let path: string | null = null;
  let attempts = 0;
  try {
    // Before the first wait, so that names are given in the order of the rows.
    const name = nameOf(row, place);
    path = name;
    const target = { dir, name, sha256, ...present({ bytes: row.bytes }) };
    const { randomBytes, signal } = app.world;
    const options: KeepOptions = { force: input.force, randomBytes, signal };
    const fetching = {
      ...place.access,
      world: app.world,
      retries: app.settings.retries.value,
      size: row.bytes,
      onTry: () => void (attempts += 1),
      log: app.log,
    };
    const here = await alreadyHere(target, options);
    if (here !== undefined) app.log(`${name}: already here, verified`);
    const kept = here ?? (await takeFile(row.file_url, fetching, (bytes) => keep(bytes, target, options)));
    return {
      file: { ...blank, path, actual: kept.sha256, bytes: kept.bytes, attempts, verdict: 'match' },
      entry: { id: row.id, path, sha256, bytes: kept.bytes, redacted: false },
    };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    const got = error instanceof WrongBytes ? { actual: error.sha256, bytes: error.bytes } : {};
    return {
      file: {
        ...blank,
        path,
        ...got,
        attempts,
        verdict: error.kind === 'integrity' ? 'mismatch' : 'missing',
      },
      fault: new Fault(error.kind, `${row.id}: ${error.message}`, error.detail),
    };
  }
}

/** The name of an earlier pull, else a free one, taken now. A manifest is only a file: its names are not trusted either. */
function nameOf({ id, filename }: Attachment, { manifest, taken, input, app }: Place): string {
  const known = manifest.entries.get(id)?.path ?? '';
  if (nameTrouble(known) === undefined && taken.get(nameKey(known)) === id) return known;
  const { name, changed } = freeName(id, filename, taken, { exact: input.exactNames });
  taken.set(nameKey(name), id);
  if (changed) {
    const why =
      nameTrouble(filename) === undefined
        ? 'its name is taken by another file, so it is kept as'
        : 'its name is not safe here and is kept as';
    app.notice(`${id}: ${why} ${name}`);
  }
  return name;
}
