// Detecting the kind of a path by its content.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/faults.ts';
import { detectSource } from '../../../src/service/import/detect.ts';
import { importPaths } from '../../support/import-paths.ts';
import { zipOf } from '../../support/zip.ts';
import { contentOf, MAIL, mailbox, MBOX, newArchive, signal, sourceFolder } from './sources.ts';

describe('detection', () => {
  const eml = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`d/${n}`, MAIL]));
  test.each<[name: string, files: Record<string, string>, kind: string]>([
    ['a Maildir', { 'cur/': '', 'new/': '', 'tmp/': '' }, 'maildir'],
    ['a Slack export', { 'users.json': '[]', 'channels.json': '[]' }, 'slack'],
    [
      'a Mattermost export',
      { 'import.jsonl': '{"type":"version","version":1}\n', 'data/a': 'x' },
      'mattermost',
    ],
    ['a Zulip export', { 'realm.json': '{}', 'messages-000001.json': '{}', 'uploads/a': 'x' }, 'zulip'],
    ['lists named as those of Zulip', { 'realm.json': '{}', 'a.txt': 'x' }, 'folder'],
    ['the uploads of one', { '__uploads/F1/a.txt': 'x' }, 'uploads'],
    ['a folder of mails', eml(9), 'mail'],
    ['of mails, mostly', { ...eml(9), 'd/.DS_Store': '\0' }, 'mail'],
    ['a folder of mails and other files', { ...eml(2), 'a.txt': 'x' }, 'folder'],
    ['a folder of a mailbox', { box: mailbox(2) }, 'folder'],
    ['of mails and a mailbox', { ...eml(20), box: mailbox(2) }, 'folder'],
    ['of mails with envelopes', Object.fromEntries([1, 2, 3].map((n) => [`${n}`, MBOX + MAIL])), 'mail'],
    ['of Maildirs', { 'a/cur/1': MAIL, 'a/new/': '', 'b/cur/1': MAIL, 'b/new/': '' }, 'folder'],
    ['an empty folder', {}, 'folder'],
  ])('%s', async (_name, files, kind) => {
    expect(await detectSource(await sourceFolder(files))).toMatchObject({ kind });
  });

  test.each<[name: string, content: string, kind: string]>([
    ['an mbox', MBOX + MAIL, 'mbox'],
    ['an empty mbox', '', 'mbox'],
    ['an mbox after empty lines', `\r\n\n${MBOX}${MAIL}`, 'mbox'],
    ['a Mattermost export', '{"type": "version", "version": 1}\n', 'mattermost'],
    ['a mail', MAIL, 'mail'],
    ['a mail with CRLF', MAIL.replaceAll('\n', '\r\n'), 'mail'],
    ['an mbox after a byte order mark', `\ufeff${MBOX}${MAIL}`, 'mbox'],
    ['an mbox with CR', `${MBOX}${MAIL}`.replaceAll('\n', '\r'), 'mbox'],
    ['an mbox whose first header is long', `${MBOX}X: ${'a'.repeat(30_000)}\n${MAIL}`, 'mbox'],
    ['a mail after a byte order mark', `\ufeff${MAIL}`, 'mail'],
    ['a mail with CR', MAIL.replaceAll('\n', '\r'), 'mail'],
    ['a mail with a long field first', `X: ${'a'.repeat(30_000)}\n${MAIL}`, 'mail'],
    ['a mail with many fields first', `${'X-A: b\n'.repeat(9_000)}${MAIL}`, 'mail'],
    ['a mail of Apple Mail', `${MAIL.length}      \n${MAIL}<?xml version="1.0"?>`, 'mail'],
    ['a mail with folded fields', `Received: a\n b\n${MAIL}`, 'mail'],
  ])('%s', async (_name, content, kind) => {
    expect(await detectSource(join(await sourceFolder({ file: content }), 'file'))).toMatchObject({ kind });
  });

  test.each<[name: string, content: string, hint: string]>([
    ['UTF-16', '\ufeffFrom a', 'it is text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE | arx import -'],
    ['MMDF', '\x01\x01\x01\x01\n', 'it is a mailbox in MMDF: convert it to mbox, and import that'],
    [
      'text before an mbox',
      `Mails\n\n${MBOX}${MAIL}`,
      'it has lines that separate mails: --kind mbox reads it',
    ],
    [
      'a damaged zip',
      'PK\x03\x04....',
      'the zip is damaged (end of central directory record signature not found)',
    ],
    ['a file of Outlook', '!BDN\0', 'readpst (of pst-utils) makes mailboxes of a .pst file of Outlook'],
  ])('what is not read says how it is: %s', async (name, content, hint) => {
    const root = await sourceFolder({ file: '' });
    await writeFile(join(root, 'file'), content, name === 'UTF-16' ? 'utf16le' : 'utf8');
    await expect(detectSource(join(root, 'file'))).rejects.toMatchObject({ kind: 'usage', detail: { hint } });
  });

  test('a zip of mails says what unpacks it, and a mail of Outlook what converts it', async () => {
    const root = await sourceFolder({});
    await writeFile(join(root, 'mails.zip'), zipOf({ '1.eml': MAIL }));
    await writeFile(join(root, 'a.msg'), Buffer.from('d0cf11e0a1b11ae1', 'hex'));
    await expect(detectSource(join(root, 'mails.zip'))).rejects.toMatchObject({
      detail: { hint: 'unzip unpacks it into a folder, which can be imported' },
    });
    await expect(detectSource(join(root, 'a.msg'))).rejects.toMatchObject({
      detail: { hint: expect.stringContaining('msgconvert') as string },
    });
  });

  test('mails of a mailbox with CR, and those behind a byte order mark, are stored with their fields', async () => {
    const root = await sourceFolder({
      cr: `${MBOX}${MAIL}`.replaceAll('\n', '\r'),
      bom: `\ufeff${MAIL.replaceAll('1@b', '3@b')}`,
    });
    const archive = await newArchive();
    await importPaths(archive, [join(root, 'cr'), join(root, 'bom')], { signal });
    const rows = await archive.database.all('SELECT sender, subject FROM messages ORDER BY n');
    await archive.close();
    expect(rows).toEqual([1, 3].map(() => ({ sender: 'a@b', subject: 'x' })));
  });

  test.each<[name: string, content: string]>([
    ['text', 'hello\n'],
    ['text that looks a little like mail', 'Note: this\nFrom: that\n\n'],
    ['a zip that is no export', 'PK\x03\x04....'],
  ])('%s is refused before anything is stored', async (_name, content) => {
    const root = await sourceFolder({ file: content, mail: MAIL });
    const archive = await newArchive();
    const doomed = importPaths(archive, [join(root, 'mail'), join(root, 'file')], { signal });
    await expect(doomed).rejects.toMatchObject({ kind: 'usage' });
    expect((await contentOf(archive))[0]).toEqual([]);
    await archive.close();
  });

  test.each([
    [
      'Discord',
      'ID,Timestamp,Contents,Attachments\n',
      'convert it to mbox or to the form of a Slack export, and import that',
    ],
    ['Zulip', '{"zerver_message":[]}', 'import the folder, zip or tar.gz of the export by itself'],
  ])('an export of %s that is not read is refused with what to do', async (system, content, hint) => {
    const root = await sourceFolder({ file: content });
    await expect(detectSource(join(root, 'file'))).rejects.toMatchObject({
      message: `${join(root, 'file')} looks like an export of ${system}, which arx does not read so`,
      detail: { hint },
    });
  });

  test('a missing path and uploads without their export are usage faults', async () => {
    const archive = await newArchive();
    for (const path of [
      join(await sourceFolder({}), 'absent'),
      await sourceFolder({ '__uploads/F1/a.txt': 'x' }),
    ]) {
      await expect(importPaths(archive, [path], { signal })).rejects.toBeInstanceOf(Fault);
    }
    await archive.close();
  });
});
