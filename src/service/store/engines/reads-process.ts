// The process that runs the long reads of a SQLite file for the process that serves it. It reads questions from stdin and writes answers to
// stdout, one after the other, until stdin ends.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { closeSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Database } from '../sql/database.ts';
import { frameOf, readFrames } from './frames.ts';
import { openSqlite } from './sqlite.ts';
import type { Answer, Question } from './sqlite-reads.ts';

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

/** Returns a function that waits for the next bytes of stdin. Throws where they cannot be read. */
async function openInput(): Promise<() => Buffer> {
  const { port1, port2 } = new MessageChannel();
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const reader = new Worker(join(__dirname, 'reads-input-worker.js'), {
    workerData: { port: port2, sent },
    transferList: [port2],
    // Else the stdout of this process would be made a stream, and writing to it could fail while who asked reads slowly.
    stdout: true,
    stderr: true,
    env: {},
  });
  // It says when it begins. It cannot where the system has no threads left.
  await once(reader, 'message');
  reader.unref();
  let taken = 0;
  return () => {
    Atomics.wait(sent, 0, taken);
    taken += 1;
    return Buffer.from((receiveMessageOnPort(port1) as { message: Uint8Array }).message);
  };
}

async function serve(): Promise<void> {
  const questions: Question[] = [];
  const take = readFrames((value) => questions.push(value as Question));
  const nextBytes = await openInput();
  for (;;) {
    take(nextBytes());
    for (const question of questions.splice(0)) write(frameOf(await answerTo(question)));
  }
}

// Who asked sees that the answers end, and ends this process.
serve().catch(() => closeSync(STDOUT));
