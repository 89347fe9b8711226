// `arx attachments export [DIR]`: a BagIt bag of a pulled folder, every file hashed again on its way into it.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { readInputFile } from '../../config/input-file.ts';
import { sameHash } from '../../contract/scalars.ts';
import type { ExportReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { exportLines } from '../../format/views/index.ts';
import {
  addDescriptions,
  addFiles,
  isAbsent,
  isIncluded,
  countText,
  reasonFor,
  stateNow,
  type BagRecord,
} from '../../bagit/contents.ts';
import { openBagTarget } from '../../bagit/target.ts';
import { readFrozenWalk, type BaggedWalk } from '../../bagit/frozen-walk.ts';
import { LACKS } from '../../bagit/tag-files.ts';
import { createBagWriter } from '../../bagit/writer.ts';
import { isNotKept, readManifest } from '../../download/manifest.ts';
import { isUndecidedMark, isUnfinishedMark } from '../../download/unfinished-pull.ts';
import { catalogueRows, countCatalogueContradictions, sendersOf } from './catalogue.ts';
import { limitedNotices } from './notices.ts';
import { checkOutputFile } from '../shared/output-file.ts';
import { unfinishedWalkFault } from '../walk/unfinished-walk.ts';
import { withSpoolFolder } from '../shared/spool-folder.ts';
import { spareMemory } from '../shared/v8-flags.ts';
import { newlyWithheldText } from './kept-file-news.ts';
import { unavailableFault } from '../shared/unavailable.ts';
import { sayUndecided, unfinishedPullFault } from './unfinished-pull.ts';

export const Input = z.object({
  dir: z.string().min(1).default('.'),
  format: z.enum(['bagit']).default('bagit'),
  to: z.string({ error: 'name the bag: a folder, or a file that ends in .zip' }).min(1),
  frozen: z.string().min(1).optional(),
  offline: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  if (input.to !== '-') return exportTo(resolve(app.world.cwd, input.to), input, app);
  checkOutputFile('--to', { file: input.to, force: false }, app);
  if (app.world.stdout.isTTY)
    throw new Fault('usage', '--to - writes a zip file, which a terminal cannot show');
  // A zip file is written at many places, which a pipe does not allow.
  return withSpoolFolder(app, (dir) => exportTo(join(dir, 'bag.zip'), input, app));
}

async function exportTo(path: string, input: Input, app: App): Promise<void> {
  const { world } = app;
  spareMemory();
  app.onInterrupt(() => ({ kept: 'no bag was made', next: 'run the same command again' }));
  const dir = resolve(world.cwd, input.dir);
  const walk =
    input.frozen === undefined
      ? undefined
      : await readFrozenWalk(resolve(world.cwd, input.frozen), world.signal);
  const records = await recordsOf(dir, input, app);
  const marks = await readdir(dir);
  const isUnfinished = marks.some(isUnfinishedMark);
  const isUndecided = marks.some(isUndecidedMark);
  if (isUndecided) sayUndecided(app);
  const given = records.filter(isIncluded);
  const lacking = records.filter((record) => !isIncluded(record));
  const absent = lacking.filter(isAbsent);
  const withheld = lacking.filter((record) => !isAbsent(record));
  const kept = given.filter((record) => stateNow(record) !== 'available');
  if (given.length === 0) throw new Fault('partial', 'there is no file to export');

  noticePercentSigns(given, app);

  const target = await openBagTarget(path, world);
  try {
    const bag = createBagWriter(target);
    const progress = app.progress();
    let done = 0;
    const files = await addFiles(bag, dir, given, {
      signal: world.signal,
      fail: app.addFault,
      onFile: () => progress.update({ label: 'exported', done: ++done, total: given.length, unit: 'files' }),
    }).finally(() => progress.end());
    if (files === undefined) return;
    const source = sourceOf(app);
    await addDescriptions(
      bag,
      { records, files, walk },
      {
        name: `Files of ${source ?? 'a local archive'}`,
        made: new Date(world.now()).toISOString(),
        version: app.version,
        source,
        signal: world.signal,
      },
    );
    const { oxum, sha256 } = await bag.finish(
      infoOf(
        {
          given: given.length,
          withheld: withheld.length,
          absent: absent.length,
          isUnknown: isUndecided || isUnfinished,
          walk,
          source,
        },
        app,
      ),
    );
    const report: ExportReport = {
      version: 1,
      format: input.format,
      path,
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      withheld: withheld.map(({ entry }) => entry.id),
      absent: absent.map(({ entry }) => entry.id),
      reasons: Object.fromEntries(
        lacking.flatMap((record) => {
          const reason = reasonFor(record);
          return reason === undefined ? [] : [[record.entry.id, reason]];
        }),
      ),
      kept: kept.map(({ entry }) => entry.id),
      completeness:
        lacking.length > 0 || walk?.complete === false
          ? 'incomplete'
          : isUndecided || isUnfinished
            ? 'unknown'
            : 'complete',
      payload_oxum: oxum,
      sha256,
      walk: walk?.head ?? null,
    };
    if (input.to === '-') await copyToOutput(path, app);
    else await app.printer.report(report, () => exportLines(report, app.screen));
    if (kept.length > 0)
      app.notice(`${newlyWithheldText(kept.length)}; the bag has ${kept.length === 1 ? 'it' : 'them'}`);
    const unavailable = unavailableFault(
      { withheld: withheld.length, absent: absent.length, total: records.length },
      'file',
      { kept: 'the bag, which names them' },
    );
    if (unavailable !== undefined) app.addFault(unavailable);
    if (isUnfinished) app.addFault(unfinishedPullFault(dir));
    if (walk?.complete === false)
      app.addFault(
        unfinishedWalkFault(input.frozen!, app, { kept: 'the bag, with the part that was walked' }),
      );
  } finally {
    await target.discard();
  }
}

/** A manifest writes a percent sign as %25 (RFC 8493 2.1.3). */
function noticePercentSigns(given: readonly BagRecord[], app: App): void {
  const count = given.filter(({ entry: { path } }) => path?.includes('%') === true).length;
  if (count === 0) return;
  const [have, it] = count === 1 ? ['has', 'the file'] : ['have', 'the files'];
  app.notice(
    `${plural(count, 'file name')} ${have} a percent sign: bagit-python does not find ${it} in a bag; pull without --exact-names replaces it`,
  );
}

async function copyToOutput(path: string, app: App): Promise<void> {
  for await (const chunk of readInputFile(path, path, app.world.signal)) await app.printer.bytes(chunk);
}

/** Returns what the manifest of the pull lists, each with its row of the catalogue as it is now. */
async function recordsOf(dir: string, input: Input, app: App): Promise<BagRecord[]> {
  const manifest = await readManifest(dir).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'unsafe') error.detail.hint ??= 'name the folder of a pull';
    throw error;
  });
  if (manifest === undefined)
    throw new Fault('not_found', `${dir} holds no pulled files`, {
      hint: ({ arx }) => `${arx} attachments pull --all --to files`,
    });
  const rows = input.offline ? new Map<string, Attachment>() : await catalogueRows(manifest, app);
  if (!input.offline) countCatalogueContradictions(app, await app.client(), { ids: manifest.keys() });
  const paths = new Set<string>();
  const gone = limitedNotices(app.notice);
  const records = [...manifest.values()].map((entry): BagRecord => {
    const { id, path, sha256, reason } = entry;
    if (isNotKept(entry))
      throw new Fault('integrity', `${id} is not in ${dir}: ${reason}`, { hint: 'pull it again' });
    if (path !== null && paths.size === paths.add(path).size)
      throw new Fault('store', `the manifest of ${dir} names ${path} twice`);
    const row = rows.get(id);
    if (row === undefined && !input.offline) gone.add(`${id} is no longer in the catalogue`);
    if (row?.sha256 !== undefined && sha256 !== null && !sameHash(row.sha256, sha256))
      throw new Fault('integrity', `${id}: the hash in the catalogue is not the one that was pulled`, {
        hint: 'pull it again',
      });
    return { entry, row };
  });
  gone.end('files are no longer in the catalogue');
  if (input.offline) return records;
  const { senders, fault } = await sendersOf(
    records.flatMap((record) => (isIncluded(record) ? (record.row?.message_id ?? []) : [])),
    app,
  );
  if (fault !== undefined) app.log(`the senders of the files are not all known: ${fault.message}`);
  return records.map((record) => ({ ...record, author: senders.get(record.row?.message_id ?? '') }));
}

function infoOf(
  made: {
    given: number;
    withheld: number;
    absent: number;
    isUnknown: boolean;
    walk: BaggedWalk | undefined;
    source: string | undefined;
  },
  app: App,
): [label: string, value: string][] {
  const { given, withheld, absent, isUnknown, walk, source } = made;
  const walked: [string, string][] =
    walk === undefined
      ? []
      : [
          ['Walk-Head', walk.head],
          ['Walk-Windows', `${walk.windows} with ${walk.conversations} conversations`],
          [
            'Walk-Drift',
            walk.drift === null
              ? 'none reported'
              : `first ${walk.drift.first}, last ${walk.drift.last}, most ${walk.drift.most}`,
          ],
          ...(walk.complete ? [] : [[LACKS.walk, 'no'] as [string, string]]),
        ];
  return [
    ['Source-Organization', source === undefined ? 'a local archive of arx' : new URL(source).host],
    ...(source === undefined ? [] : [['Source-URL', source] as [string, string]]),
    ['External-Description', `Verified files of an archive: ${countText(given, withheld, absent)}`],
    ...(withheld > 0 ? [[LACKS.withheld, `${withheld}`] as [string, string]] : []),
    ...(absent > 0 ? [[LACKS.absent, `${absent}`] as [string, string]] : []),
    ...(isUnknown ? [[LACKS.undecided, 'unknown'] as [string, string]] : []),
    ['Bagging-Date', new Date(app.world.now()).toISOString().slice(0, 10)],
    ['Bag-Software-Agent', `archive-explorer (arx) ${app.version}`],
    ...walked,
  ];
}

/** Returns the address of the service without credentials and query; undefined for a local archive. */
function sourceOf(app: App): string | undefined {
  const base = app.settings.base_url.value;
  if (base === undefined) return undefined;
  const { origin, pathname } = new URL(base);
  return `${origin}${pathname}`;
}
