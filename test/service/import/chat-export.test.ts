// Exports of chats inside an imported folder: they are stored as files, and the report says so.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPaths } from '../../support/import-paths.ts';
import { newArchive, signal, sourceFolder } from './sources.ts';

async function noticesOf(name: string, content: string): Promise<{ path: string; notice: string }[]> {
  const root = await sourceFolder({ [name]: content });
  const archive = await newArchive();
  try {
    const { sources, notices } = await importPaths(archive, [root], { signal });
    expect(sources[0]?.files).toMatchObject({ seen: 1, read: 1 });
    return notices.map(({ path, notice }) => ({ path: path.slice(join(root, '/').length), notice }));
  } finally {
    await archive.close();
  }
}

const message = { id: 1, type: 'message', date: '2024-01-02T03:04:05', from: 'a', text: 'x' };
test.each<[system: string, name: string, content: string]>([
  ['Mattermost', 'old/import.jsonl', '{"type":"version","version":1}\n{"type":"channel","channel":{}}\n'],
  ['Zulip', 'messages-000001.json', JSON.stringify({ zerver_message: [{ id: 1, content: 'x' }] })],
  ['Zulip', 'realm.json', JSON.stringify({ zerver_realm: [{ id: 1 }] }, null, 2)],
  [
    'Telegram',
    'result.json',
    JSON.stringify({ name: 'a', type: 'personal_chat', id: 1, messages: [message] }, null, 1),
  ],
  ['Telegram', 'all.json', '{"about": "Here is the data you requested. Remember: ...", "chats": {}}'],
  ['Telegram', 'messages.html', '<!DOCTYPE html>\n<html>\n <head>\n<title>Exported Data</title>\n'],
  ['Discord', 'general.json', JSON.stringify({ guild: { id: '1' }, channel: { id: '2' }, messages: [] })],
  ['Discord', 'messages.json', '[{"ID": 1, "Timestamp": "2024-01-02", "Contents": "x", "Attachments": ""}]'],
  ['Discord', 'messages.csv', 'ID,Timestamp,Contents,Attachments\r\n1,2024,x,\r\n'],
  ['Matrix', 'export.json', JSON.stringify({ room_name: 'a', exported_by: '@a:b', messages: [] })],
  ['Matrix', 'events.json', JSON.stringify([{ type: 'm.room.message', origin_server_ts: 1, content: {} }])],
  [
    'Teams',
    'messages.json',
    JSON.stringify({ userId: '8:a', conversations: [{ id: '19:x', threadProperties: {}, MessageList: [] }] }),
  ],
  [
    'Teams',
    'chat.json',
    JSON.stringify({
      '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#chats/x/messages',
      value: [],
    }),
  ],
])('%s: %s', async (system, name, content) => {
  const [found, ...others] = await noticesOf(name, content);
  expect(others).toEqual([]);
  expect(found?.path).toBe(name);
  expect(found?.notice).toContain(`looks like an export of ${system}`);
  const hint = { Mattermost: 'import it by itself', Zulip: 'import the folder, zip or tar.gz' }[system];
  expect(found?.notice).toContain(`no message in it was understood; ${hint ?? 'convert it to mbox'}`);
});

test.each<[name: string, content: string]>([
  ['package.json', '{"name":"x","version":"1.0.0","type":"module"}'],
  ['list.json', '[{"id":1,"type":"message"}]'],
  ['note.txt', 'The type is "m.room.message", and "origin_server_ts": is a field'],
])('nothing is said of %s', async (name, content) => {
  expect(await noticesOf(name, content)).toEqual([]);
});
