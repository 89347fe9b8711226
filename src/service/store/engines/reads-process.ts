// The process that runs the long reads of a SQLite file for the process that serves it. It reads questions from stdin and writes answers to
// stdout, one after the other, until stdin ends.
import { Buffer } from 'node:buffer';
import { readSync, writeSync } from 'node:fs';
import type { Database } from '../sql/database.ts';
import { frameOf, readFrames } from './frames.ts';
import { openSqlite } from './sqlite.ts';
import type { Answer, Question } from './sqlite-reads.ts';

const STDIN = 0;
const STDOUT = 1;

/** Nothing else runs here. */
const sleep = async (ms: number): Promise<void> =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

let database: Database | undefined;

async function answerTo({ path, kind, sql, parameters }: Question): Promise<Answer> {
  try {
    database ??= await openSqlite({ path, readOnly: true, sleep });
    return { value: await database.longReads[kind](sql, parameters) };
  } catch (error) {
    return { failure: { message: (error as Error).message, properties: { ...(error as object) } } };
  }
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at);
}

async function serve(): Promise<void> {
  const questions: Question[] = [];
  const take = readFrames((value) => questions.push(value as Question));
  const buffer = Buffer.alloc(64 * 1024);
  for (;;) {
    const count = readSync(STDIN, buffer);
    if (count === 0) return;
    take(Buffer.from(buffer.subarray(0, count)));
    for (const question of questions.splice(0)) write(frameOf(await answerTo(question)));
  }
}

// Who asked sees that the answers end.
serve().catch(() => {});
