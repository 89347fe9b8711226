// Reads the envelopes to send, from the command line or from a file, and checks all of them before any is sent.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { App } from '../../app.ts';
import { safeText } from '../../client/safe-text.ts';
import { readInputFile, collectBytes } from '../../config/input-file.ts';
import { ensurePrivateFolder } from '../../config/private-file.ts';
import { unreadableInput } from '../../disk/disk-fault.ts';
import { IngestRequest, payloadFields, PAYLOADS } from '../../contract/ingest.ts';
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts';
import { exactJsonText, parseExactJson } from '../../contract/exact-json.ts';
import { parseJsonText, type ParsedJson } from '../../contract/json-text.ts';
import { nearest } from '../../contract/nearest.ts';
import { MAX_JSON_DEPTH, MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { validationMessage } from '../../contract/validation-message.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { linesOf } from '../../disk/lines.ts';
import { plural } from '../../format/numbers.ts';
import { fieldWords } from '../../format/views/index.ts';
import { IdSet } from '../../walk/order/id-set.ts';
import { findJsonError } from './json-error.ts';
import { createUnknownFields, type UnknownFields } from './unknown-fields.ts';

/** An event to send. */
export type OutgoingEvent = {
  event: IngestRequest;
  /** The event as it was given, byte for byte, except for fields that an envelope does not have. */
  text: string;
  /** 32 hexadecimal digits that tell two events with the same id apart. */
  digest: string;
  /** Its line in the file, from 1. */
  line?: number;
};

const PAYLOAD_EXAMPLE = `'{"layer":"x"}'`;
/** A line of `--file`. */
const EVENT_EXAMPLE = '{"id":"evt_1","type":"contact.flagged","payload":{"contact":"Ana"}}';

/** Checks that an option switches off. */
export type Guards = { allowUnknownType: boolean };

/** The envelopes of a file. */
export type Envelopes = {
  /** Number of different envelopes. */
  count: number;
  /** Yields each of them once, in order, read from the file meanwhile. */
  all(): AsyncGenerator<OutgoingEvent>;
  close(): Promise<void>;
};

/** Returns the envelope that the arguments describe. Throws Fault 'usage' where something is missing or wrong. */
export async function envelopeFromArguments(
  { type, id, payload }: { type?: string | undefined; id?: string | undefined; payload?: string | undefined },
  guards: Guards,
  app: App,
): Promise<OutgoingEvent> {
  if (type === undefined)
    throw new Fault('usage', 'an event type or --file is missing', { hint: 'arx events types' });
  // A generated id would be another one at the next try, and the event would be applied twice.
  if (id === undefined)
    throw new Fault('usage', '--id is missing; arx never invents an event id', {
      hint: 'choose one, e.g. --id evt_1',
    });
  const text = payload === undefined ? '{}' : await payloadText(payload, app);
  const unknown = createUnknownFields();
  const event = checked(
    { id, type, payload: parseJson(text, '--payload', PAYLOAD_EXAMPLE).value },
    guards,
    'event',
    unknown,
  );
  await unknown.warn(app);
  return outgoing(event, text.trim(), 'payload');
}

async function payloadText(given: string, { world }: App): Promise<string> {
  if (!given.startsWith('@')) return given;
  const file = given.slice(1);
  const what = file === '-' ? 'the payload on standard input' : `the payload file ${file}`;
  const source =
    file === '-' ? world.stdin.bytes() : readInputFile(resolve(world.cwd, file), what, world.signal);
  const bytes = await collectBytes(source, MAX_REQUEST_BYTES);
  if (bytes.length > MAX_REQUEST_BYTES) throw tooLong(what);
  return textOf(bytes, what);
}

/**
 * Opens a file of envelopes, one a line, and checks all of them. Of each, some bytes are kept in memory. A pipe or
 * standard input (`-`) is copied into a temporary file first. An envelope that is there twice counts once, with a notice.
 * Throws Fault 'usage', which names the first wrong line, also for an id that another event has, and Fault 'partial' where
 * the file has no event.
 */
export async function openEnvelopes(file: string, guards: Guards, app: App): Promise<Envelopes> {
  const handle =
    file === '-' ? await copyToTemporary(app.world.stdin.bytes(), app) : await openFile(file, app);
  const { size } = await handle.stat();
  const unknown = createUnknownFields();
  const envelopes = async function* (): AsyncGenerator<OutgoingEvent & { line: number }> {
    let number = 0;
    for await (const line of linesOf(handle, size, MAX_REQUEST_BYTES)) {
      app.world.signal.throwIfAborted();
      number += 1;
      const where = `line ${number}`;
      if (line.length > MAX_REQUEST_BYTES) throw tooLong(where);
      const text = textOf(line, where);
      if (text.trim() === '') continue;
      const { value, scan } = parseJson(text, where, EVENT_EXAMPLE);
      const event = checked(value, guards, where, unknown);
      const isWhole = [...scan.members.keys()].every((key) => Object.hasOwn(event, key));
      const given = isWhole ? text.trim() : scan.members.get('payload')!.text;
      yield { ...outgoing(event, given, isWhole ? 'event' : 'payload'), line: number };
    }
  };
  let repeated = 0;
  const all = async function* (): AsyncGenerator<OutgoingEvent> {
    const seenIds = new IdSet();
    const seen = new IdSet();
    repeated = 0;
    for await (const next of envelopes()) {
      const { event, line } = next;
      if (seen.has(next.digest)) {
        repeated += 1;
        continue;
      }
      if (seenIds.has(event.id))
        throw new Fault(
          'usage',
          `line ${line}: another event of this file has the id ${event.id}; nothing was sent`,
        );
      seenIds.add(event.id);
      seen.add(next.digest);
      yield next;
    }
  };
  const close = () => handle.close();
  try {
    let count = 0;
    for await (const _ of all()) count += 1;
    if (repeated > 0)
      app.notice(`${plural(repeated, 'line')} of ${file} repeated an event, which is sent once`);
    if (count === 0) throw new Fault('partial', `${file} has no event; nothing was sent`);
    await unknown.warn(app);
    return { count, all, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFile(file: string, app: App): Promise<FileHandle> {
  const path = resolve(app.world.cwd, file);
  try {
    const found = await stat(path);
    // A file of /proc, and of some network disks, says that it has no bytes, and has some.
    if (found.isFile() && found.size > 0) return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadableInput(file, error);
  }
  return copyToTemporary(readInputFile(path, file, app.world.signal), app);
}

/** Returns a file without a name: the system deletes it however the run ends. */
async function copyToTemporary(bytes: AsyncIterable<Uint8Array>, app: App): Promise<FileHandle> {
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
    for await (const chunk of withShortLines(bytes)) await handle.appendFile(chunk);
    return handle;
  } catch (error) {
    await handle?.close();
    throw diskFault(error, 'cannot keep what is read from the pipe');
  }
}

/** Throws Fault 'usage' at a line that is too long: the copy of an endless one would fill the disk. */
async function* withShortLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let number = 1;
  let length = 0;
  for await (const chunk of bytes) {
    let begin = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, begin)) {
      if (length + end - begin > MAX_REQUEST_BYTES) throw tooLong(`line ${number}`);
      number += 1;
      length = 0;
      begin = end + 1;
    }
    length += chunk.length - begin;
    if (length > MAX_REQUEST_BYTES) throw tooLong(`line ${number}`);
    yield chunk;
  }
}

const LF = 0x0a;

function tooLong(what: string): Fault {
  return new Fault('usage', `${what} is longer than a request may be; nothing was sent`);
}

/** Returns an event, of which the text is given whole or of the payload alone. */
function outgoing(
  { id, type, payload }: IngestRequest,
  given: string,
  part: 'event' | 'payload',
): OutgoingEvent {
  const head = JSON.stringify({ id, type });
  const text = part === 'event' ? given : `${head.slice(0, -1)},"payload":${given}}`;
  const exact = (parseExactJson(text) as IngestRequest).payload;
  return {
    event: { id, type, payload },
    text,
    digest: digestOf(exactJsonText({ id, type, payload: exact })),
  };
}

/** Returns 128 bits of the hash of id, type and payload. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Throws Fault 'usage' for bytes that are not UTF-8: another event than was written would be sent. */
function textOf(bytes: Uint8Array, where: string): string {
  if (!isUtf8(bytes)) throw new Fault('usage', `${where} is not UTF-8; nothing was sent`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Throws Fault 'usage' for text that is not JSON, and for what services read in different ways or refuse. */
function parseJson(text: string, where: string, example: string): ParsedJson {
  let parsed: ParsedJson;
  try {
    parsed = parseJsonText(text);
  } catch {
    const { at, expected, hint } = findJsonError(text, example) ?? {
      at: 1,
      expected: 'JSON',
      hint: 'arx help events',
    };
    throw new Fault(
      'usage',
      `${where} is not JSON at character ${at}, where ${expected} is expected; nothing was sent`,
      { hint },
    );
  }
  const { repeatedKey, depth, inexact } = parsed.scan;
  if (repeatedKey !== undefined)
    throw new Fault('usage', `${where}: two values for the key ${repeatedKey}; nothing was sent`);
  if (depth > MAX_JSON_DEPTH)
    throw new Fault('usage', `${where} is nested more than ${MAX_JSON_DEPTH} levels deep; nothing was sent`);
  const number = inexact.find(({ text: digits }) => !Number.isFinite(Number(digits)));
  if (number === undefined) return parsed;
  throw new Fault(
    'usage',
    `${where}: ${safeText(number.text, 40)} is beyond the range of 64 bits; nothing was sent`,
    { hint: 'write it as text, in quotes' },
  );
}

/** Returns the event of an envelope. `unknown` is told each field of the payload that its type does not have. */
function checked(
  value: unknown,
  { allowUnknownType }: Guards,
  where: string,
  unknown: UnknownFields,
): IngestRequest {
  const envelope = IngestRequest.safeParse(value);
  if (!envelope.success) {
    const problem = validationMessage(envelope.error, value, { describe });
    throw invalid(problem, where, where === 'event' ? undefined : `each line is an event: ${EVENT_EXAMPLE}`);
  }
  const { type } = envelope.data;
  if (!Object.hasOwn(PAYLOADS, type)) {
    if (allowUnknownType) return envelope.data;
    const meant = nearest(type, EVENT_TYPES);
    throw new Fault('usage', `${where}: unknown event type ${type}; nothing was sent`, {
      hint: `${meant === undefined ? `known: ${EVENT_TYPES.join(', ')}` : `did you mean: ${meant}`}; --allow-unknown-type sends it anyway`,
    });
  }
  const known = type as EventType;
  const { payload } = envelope.data;
  const parsed = PAYLOADS[known].safeParse(payload);
  if (!parsed.success) {
    const problem = validationMessage(parsed.error, payload, { place: ['payload'], describe });
    throw invalid(problem, where, `${known} has ${fieldWords(payloadFields(known))}`);
  }
  unknown.add(known, payload, where);
  return envelope.data;
}

function invalid(problem: string, where: string, hint = 'arx help events'): Fault {
  return new Fault('usage', `${where}: ${problem}; nothing was sent`, { hint });
}

/** Returns a value as it was given, if it is short, else its beginning. */
function describe(given: unknown): string {
  return safeText(JSON.stringify(given), 40);
}
