// The least that a check of an archive takes in Node: SQLite checks its pages, every stored message is read and hashed. One thread.
import { hash } from 'node:crypto';
import { DatabaseSync } from '@photostructure/sqlite';

const database = new DatabaseSync(process.argv[2], { readOnly: true });
database.exec(`PRAGMA cache_size = -${64 * 1024}`);
const [{ integrity_check: found }] = database.prepare('PRAGMA integrity_check').all();
if (found !== 'ok') throw new Error(found);
const rows = database
  .prepare('SELECT m.raw_sha256, r.content FROM messages m JOIN raws r ON r.n = m.n')
  .iterate();
for (const { raw_sha256: expected, content } of rows)
  if (hash('sha256', content, 'hex') !== expected) throw new Error('a message is damaged');
database.close();
