// Importing the uploads of a Slack export later than the export.
import { describe, expect, test } from 'vitest';
import { importPaths } from '../../../support/import-paths.ts';
import { redact, unredact } from '../../../../src/service/store/redaction.ts';
import { contentOf, newArchive, signal, sourceFolder } from '../sources.ts';

describe('a Slack export whose uploads come later', () => {
  const file = (id: string, more: object = {}) => ({
    id,
    name: `${id}.txt`,
    mimetype: 'text/plain',
    mode: 'hosted',
    size: 9,
    ...more,
  });
  const say = (ts: string, ...files: object[]) => ({ type: 'message', user: 'U1', text: 'x', ts, files });
  const withheld = file('F4', { mode: 'hidden_by_limit' });
  const shared = file('F1');
  const days = [
    say('1704200000.1', shared, file('F2')),
    say('1704200001.1', shared, file('F3')),
    say('1704200002.1', withheld, file('F5')),
  ];
  const slack = {
    'users.json': '[]',
    'channels.json': '[{"id":"C1","name":"general"}]',
    'general/2024-01-02.json': JSON.stringify(days),
  };
  const uploads = {
    '__uploads/F1/F1.txt': 'one',
    '__uploads/F2/F2.txt': 'two',
    // The same bytes under another id.
    '__uploads/F3/F3.txt': 'two',
    '__uploads/F4/F4.txt': 'withheld',
  };

  test('ends like an import of both together', async () => {
    const [paths, at] = [await sourceFolder(slack), await sourceFolder(uploads)];
    const whole = await newArchive();
    await importPaths(whole, [paths, at], { signal });
    const late = await newArchive();
    await importPaths(late, [paths], { signal });
    expect(await late.database.get('SELECT SUM(stored) AS n FROM attachments')).toEqual({ n: 0 });
    const report = await importPaths(late, [paths, at], { signal });
    expect(report.sources[0]).toMatchObject({
      messages: { read: 3, stored: 0, known: 3, refused: 0 },
      attachments: { stored: 4, known: 2 },
    });
    expect(await contentOf(late)).toEqual(await contentOf(whole));
    const again = await importPaths(late, [paths, at], { signal });
    expect(again.sources[0]?.attachments).toEqual({ stored: 0, known: 6 });
    const without = await importPaths(late, [paths], { signal });
    expect(without.sources[0]?.attachments).toEqual({ stored: 0, known: 6 });
    expect(await contentOf(late)).toEqual(await contentOf(whole));
    await whole.close();
    await late.close();
  });

  test('keeps its redactions, for every row with the same bytes', async () => {
    const [paths, at] = [await sourceFolder(slack), await sourceFolder(uploads)];
    const archive = await newArchive();
    await importPaths(archive, [paths], { signal });
    await redact(archive, 'att_2', 'private');
    await importPaths(archive, [paths, at], { signal });
    const rows = await archive.database.all('SELECT n, stored, redaction FROM attachments ORDER BY n');
    expect(rows.map(({ n, stored, redaction }) => [n, stored, redaction])).toEqual([
      [1, 1, null],
      [2, 1, 'private'],
      [3, 1, null],
      [4, 1, 'private'],
      [5, 0, 'hidden by the limit of the Slack plan'],
      [6, 0, null],
    ]);
    // The archive lacks the bytes, so a lifted redaction leaves the reason.
    await unredact(archive, 'att_5');
    expect(await archive.database.get('SELECT redacted, absence FROM attachments WHERE n = 5')).toEqual({
      redacted: 0,
      absence: 'is not in the export: hidden by the limit of the Slack plan',
    });
    await archive.close();
  });
});
