// Exports of Mattermost and Zulip as those systems write them, and what a program of its own (Python) finds in them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importPaths } from '../../support/import-paths.ts';
import type { OpenArchive } from '../../../src/service/store/open.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { newArchive, signal } from './sources.ts';

export type Files = Record<string, string | Uint8Array>;

const dir = tempFolder('chats');
let made = 0;

/** Returns a new folder with these files. */
export function unpacked(files: Files): string {
  const root = join(dir, String((made += 1)));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

/** Returns a new file. */
export function written(name: string, content: string | Uint8Array): string {
  return join(unpacked({ [name]: content }), name);
}

/** A message of the archive as the oracles list them: what must be the same whoever reads the export. */
type Listed = {
  date: number | null;
  sender: string | null;
  text: string | null;
  /** Date and sender of the message that it answers. */
  answers: string | null;
  tier: string;
  files: [name: string, sha256: string | null][];
};

/** Imports a path with the tier external. `check` gets the archive. */
export async function imported<T>(
  path: string,
  check: (archive: OpenArchive, report: Awaited<ReturnType<typeof importPaths>>) => Promise<T>,
): Promise<T> {
  const archive = await newArchive();
  try {
    return await check(archive, await importPaths(archive, [path], { signal, tier: 'external' }));
  } finally {
    await archive.close();
  }
}

/** Returns the messages of an archive, in the order of arrival. `text` is the member of the stored message with its words. */
export async function listed(archive: OpenArchive, text: string): Promise<Listed[]> {
  const { database } = archive;
  const rows = await database.all<Record<string, any>>(
    `SELECT m.n, m.date_ms, m.sender, m.tier, r.content, p.date_ms AS parent_date, p.sender AS parent_sender, m.parent
      FROM messages m JOIN raws r ON r.n = m.n LEFT JOIN messages p ON p.n = m.parent ORDER BY m.n`,
  );
  const files = await database.all<Record<string, any>>(
    'SELECT message, filename, sha256, stored FROM attachments ORDER BY message, part',
  );
  return rows.map((row) => ({
    date: row['date_ms'],
    sender: row['sender'],
    text: JSON.parse(Buffer.from(row['content']).toString()).message[text] ?? null,
    answers: row['parent'] === null ? null : `${row['parent_date']} ${row['parent_sender']}`,
    tier: row['tier'],
    files: files
      .filter(({ message }) => message === row['n'])
      .map(({ filename, sha256, stored }) => [filename, stored === 1 ? sha256 : null]),
  }));
}

/** Returns what the stored bytes of all messages hold, as one text. */
export async function storedText({ database }: OpenArchive): Promise<string> {
  const rows = await database.all<{ content: Uint8Array }>('SELECT content FROM raws ORDER BY n');
  return rows.map(({ content }) => Buffer.from(content).toString()).join('\n');
}

/** Runs a Python script with these arguments and returns the messages that it printed as JSON. */
export function pythonList(script: string, ...args: string[]): Listed[] {
  return JSON.parse(
    execFileSync('python3', ['-c', script, ...args], { maxBuffer: 1 << 28 }).toString(),
  ) as Listed[];
}

/** Makes a tar of a folder as Python does: `format` is that of `tarfile`, `mode` e.g. `w:gz`. */
export function tarOf(root: string, format: string, mode: string, top: string): string {
  const to = join(dir, `${(made += 1)}.tar`);
  execFileSync('python3', ['-c', TAR, root, to, format, mode, top]);
  return to;
}

const TAR = `
import sys, tarfile
root, to, form, mode, top = sys.argv[1:]
with tarfile.open(to, mode, format=getattr(tarfile, form)) as tar: tar.add(root, arcname=top)
`;
