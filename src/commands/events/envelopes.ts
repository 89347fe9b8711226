// Envelopes to send, checked before any is sent: one from the command line, or a file of any length, read twice.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { readInputFile, collectBytes } from '../../config/input-file.ts';
import { ensurePrivateFolder } from '../../config/private-file.ts';
import { EVENT_TYPES, IngestRequest, PAYLOADS, type EventType } from '../../contract/event.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { linesOf } from '../../disk/lines.ts';

/** An envelope, its JSON, the digest that tells it from another under the same id, and its line, the first is 1, of a file. */
export type OutgoingEvent = { event: IngestRequest; text: string; digest: string; line?: number };

export type Guards = { allowUnknownType: boolean };

export type Envelopes = {
  /** How many there are. */
  count: number;
  /** All of them, in their order; read from the file as they are asked for. */
  all(): AsyncGenerator<OutgoingEvent>;
  close(): Promise<void>;
};

/** The envelope of a command line. Throws a usage Fault. */
export async function envelopeFromArguments(
  { type, id, payload }: { type?: string | undefined; id?: string | undefined; payload?: string | undefined },
  guards: Guards,
  app: App,
): Promise<OutgoingEvent> {
  if (type === undefined)
    throw new Fault('usage', 'an event type or --file is missing', { hint: 'arx events types' });
  // An id invented here would be another one at the next try, and the event would count twice.
  if (id === undefined) throw new Fault('usage', '--id is missing; arx never invents an event id');
  const text = payload === undefined ? '{}' : await payloadText(payload, app);
  return outgoing(checked({ id, type, payload: parseJson(text, '--payload') }, guards, 'event'));
}

async function payloadText(given: string, { world }: App): Promise<string> {
  if (!given.startsWith('@')) return given;
  const file = given.slice(1);
  const what = `the payload file ${file}`;
  const bytes = await collectBytes(
    readInputFile(resolve(world.cwd, file), what, world.signal),
    MAX_REQUEST_BYTES,
  );
  if (bytes.length > MAX_REQUEST_BYTES)
    throw new Fault('usage', `${what} is longer than a request may be; nothing was sent`);
  return bytes.toString('utf8');
}

/**
 * The envelopes of a file, one a line, or of a pipe or standard input (`-`), which is laid by in the data folder until
 * the run ends. All of them are checked before it resolves; memory does not grow with their number. Throws a usage Fault
 * that names the first line that is wrong, `partial` where there is none.
 */
export async function openEnvelopes(file: string, guards: Guards, app: App): Promise<Envelopes> {
  const handle = file === '-' ? await spooled(app.world.stdin.bytes(), app) : await opened(file, app);
  const { size } = await handle.stat();
  const envelopes = async function* (): AsyncGenerator<{ event: IngestRequest; line: number }> {
    let number = 0;
    for await (const line of linesOf(handle, size, MAX_REQUEST_BYTES)) {
      app.world.signal.throwIfAborted();
      number += 1;
      const where = `line ${number}`;
      if (line.length > MAX_REQUEST_BYTES) {
        throw new Fault('usage', `${where} is longer than a request may be; nothing was sent`);
      }
      const text = line.toString('utf8');
      if (text.trim() === '') continue;
      yield { event: checked(parseJson(text, where), guards, where), line: number };
    }
  };
  const all = async function* (): AsyncGenerator<OutgoingEvent> {
    for await (const { event, line } of envelopes()) yield { ...outgoing(event), line };
  };
  const close = () => handle.close();
  try {
    let count = 0;
    for await (const _ of envelopes()) count += 1;
    if (count === 0) throw new Fault('partial', `${file} holds no event: nothing was sent`);
    return { count, all, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function opened(file: string, app: App): Promise<FileHandle> {
  const path = resolve(app.world.cwd, file);
  try {
    if ((await stat(path)).isFile()) return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new Fault('usage', `cannot read ${file}`, { cause: error });
  }
  return spooled(readInputFile(path, file, app.world.signal), app);
}

/** A file that has no name any more: nothing of it stays, however the run ends. */
async function spooled(bytes: AsyncIterable<Uint8Array>, app: App): Promise<FileHandle> {
  const { directories, storeWorld, world } = app;
  ensurePrivateFolder(directories.data, storeWorld);
  const path = join(
    directories.data,
    `input-${world.pid}-${Buffer.from(world.randomBytes(6)).toString('hex')}`,
  );
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'wx+', 0o600);
    await rm(path);
    for await (const chunk of bytes) await handle.appendFile(chunk);
    return handle;
  } catch (error) {
    await handle?.close();
    throw diskFault(error, 'what is read from a pipe cannot be laid by');
  }
}

function outgoing({ id, type, payload }: IngestRequest): OutgoingEvent {
  const event = { id, type, payload };
  const text = JSON.stringify(event);
  return { event, text, digest: digestOf(text) };
}

/** 128 bits of what is sent: the id, the type and the payload as they were written. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('usage', `${where} is not JSON; nothing was sent`);
  }
}

function checked(value: unknown, { allowUnknownType }: Guards, where: string): IngestRequest {
  const envelope = IngestRequest.safeParse(value);
  if (!envelope.success) throw invalid(envelope.error, where);
  const { type } = envelope.data;
  if (!Object.hasOwn(PAYLOADS, type)) {
    if (allowUnknownType) return envelope.data;
    throw new Fault('usage', `${where}: unknown event type ${type}; nothing was sent`, {
      hint: `known: ${EVENT_TYPES.join(', ')}; --allow-unknown-type sends it anyway`,
    });
  }
  const payload = PAYLOADS[type as EventType].safeParse(envelope.data.payload);
  if (!payload.success) throw invalid(payload.error, where, 'payload.');
  return envelope.data;
}

function invalid(error: z.ZodError, where: string, prefix = ''): Fault {
  const issue = error.issues[0];
  const path = `${prefix}${issue?.path.join('.') ?? ''}`.replace(/\.$/, '');
  return new Fault(
    'usage',
    `${where}: ${path}: ${issue?.message.toLowerCase() ?? 'invalid'}; nothing was sent`,
  );
}
