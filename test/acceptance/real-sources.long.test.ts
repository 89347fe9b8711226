// Imports of real folders, of collections of broken mail and of real Slack exports: everything in them is accounted for.
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { importPaths } from '../support/import-paths.ts';
import { readSlack } from '../../src/service/import/slack/export.ts';
import type { SourceItem, ImportedMessage } from '../../src/service/records/import-items.ts';
import { openArchive, type OpenArchive } from '../../src/service/store/open.ts';
import { hasRealData, realData, unpackTar } from '../support/real-data.ts';
import { tempFolder } from '../support/temp-folder.ts';

const hasData = hasRealData('mime-torture', ['xz', 'tar']);
const signal = new AbortController().signal;

function archiveIn(): Promise<OpenArchive> {
  return openArchive({
    sleep,
    dir: tempFolder('archive'),
    now: () => Date.UTC(2026, 0, 1),
    randomBytes: (count) => new Uint8Array(count),
  });
}

const CORPORA = ['mime4j', 'stalwart', 'nodemailer-mailparser', 'sisimai-bounces'];

describe.skipIf(!hasData)('mime torture', () => {
  test.each(CORPORA)('%s: every file is stored or known, as one mail or as mbox', async (corpus) => {
    const root = tempFolder('corpus');
    unpackTar(`mime-torture/${corpus}`, root);
    const names = (await readdir(root, { recursive: true })).map((name) => join(root, name));
    const mails = names.filter((name) => /\.(eml|msg)$/.test(name));
    const boxes = names.filter((name) => /mailbox\/mbox-\d$/.test(name));
    const only = tempFolder('mails');
    for (const [n, name] of mails.entries()) await copyFile(name, join(only, `${n}.eml`));
    const archive = await archiveIn();
    const report = await importPaths(archive, [only, ...boxes], { signal });
    expect(report.sources[0]?.kind).toBe('mail');
    expect(report.refused).toEqual([]);
    expect(report.sources[0]?.messages.read).toBe(mails.length);
    const stored = await archive.database.all<{ raw_sha256: string }>('SELECT raw_sha256 FROM messages');
    const total = report.sources.reduce((sum, { messages }) => sum + messages.stored, 0);
    expect(stored).toHaveLength(total);
    await archive.close();
  });
});

/** Packed folder, its kind, messages read, and messages stored by their format. */
const FOLDERS: [packed: string, kind: string, read: number, stored: Record<string, number>][] = [
  ['lists/apache-mbox-variants', 'mbox', 2039, { rfc822: 2020 }],
  ['mime-torture/stalwart', 'folder', 337, { file: 241, rfc822: 96 }],
  ['files', 'folder', 397, { file: 397 }],
];
describe.skipIf(!hasData)('a real folder', () => {
  test.each(FOLDERS)('%s', async (packed, kind, read, stored) => {
    const root = tempFolder('folder');
    unpackTar(packed, root);
    const archive = await archiveIn();
    const report = await importPaths(archive, [root], { signal });
    expect(report.sources).toMatchObject([{ kind, messages: { read, refused: 0 } }]);
    const rows = await archive.database.all<{ format: string; n: number }>(
      'SELECT format, COUNT(*) AS n FROM messages GROUP BY format',
    );
    expect(Object.fromEntries(rows.map(({ format, n }) => [format, n]))).toEqual(stored);
    await archive.close();
  });
});

describe.skipIf(!hasData)('real exports', () => {
  const counts = async (path: string, companions: string[]) => {
    const items: SourceItem[] = [];
    for await (const item of readSlack(path, { originCity: null, tier: 'internal', signal, companions }))
      items.push(item);
    const messages = items.filter((item): item is ImportedMessage => item.kind === 'message');
    const refusedItems = items.filter(({ kind }) => kind === 'refused');
    const files = messages.flatMap(({ attachments }) => attachments);
    const threads = new Set(messages.flatMap(({ parent }) => (parent === null ? [] : [parent])));
    return {
      messages: messages.length,
      refused: refusedItems.length,
      raws: new Set(messages.map(({ sha256 }) => sha256)).size,
      conversations: new Set(messages.map(({ key, parent }) => parent ?? key)).size,
      answered: threads.size,
      files: files.length,
      withheld: files.filter(({ redaction }) => redaction !== null).length,
      held: files.filter(({ content }) => content !== null).length,
    };
  };

  // The manifest counts 778 threads and 8,343 messages outside threads, 9,121 in all: four threads begin with a
  // message that is not marked as their first and counts on both sides there.
  test('the export of a public workspace, with its files beside it', async () => {
    const found = await counts(realData('slack/r-contributors-slack-export.zip'), [
      realData('slack/r-contributors-uploads-standins.zip'),
    ]);
    expect(found).toEqual({
      messages: 12_564,
      refused: 0,
      raws: 12_564,
      conversations: 9121 - 4,
      answered: 778,
      files: 195,
      withheld: 129,
      held: 59,
    });
  });

  test('the fixture of another exporter', async () => {
    expect(await counts(realData('slack/slackdump-fixture-export.zip'), [])).toMatchObject({
      messages: 16,
      refused: 0,
      answered: 3,
      conversations: 3 + 9,
      files: 2,
      withheld: 0,
      held: 0,
    });
  });
});
