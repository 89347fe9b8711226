// The sender's journal: each event before it is sent, and its outcome after. One JSON record a line.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { ensurePrivateFolder } from '../../config/private-file.ts';
import { tokenOrigin } from '../../config/session.ts';
import { IngestRequest } from '../../contract/ingest.ts';
import { parseJsonBytes, scanJson } from '../../contract/json-text.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { linesOf } from '../../disk/lines.ts';
import { openRegularFile } from '../../disk/regular-file.ts';
import { IdSet } from '../../walk/order/id-set.ts';
import type { OutgoingEvent } from './envelopes.ts';

const common = { at: z.string(), digest: z.string() };
const Outcome = z.discriminatedUnion('type', [
  z.object({ type: z.literal('acked'), ...common, id: z.string() }),
  z.object({ type: z.literal('refused'), ...common, id: z.string(), code: z.string() }),
]);
/** The event as it was sent; `text` in place of `event` where it has line ends. */
const Sent = z.object({
  type: z.literal('sent'),
  ...common,
  event: IngestRequest.optional(),
  text: z.string().optional(),
});
/** A line of a journal. `text` returns the event as it was sent, byte for byte. */
export type JournalEntry =
  | z.infer<typeof Outcome>
  | { type: 'sent'; at: string; digest: string; event: IngestRequest; text: () => string };

/** A journal that is open for appending. */
export type Journal = {
  readonly path: string;
  /** Writes events that are about to be sent; they are synced to the disk when it resolves. Throws Fault 'disk'. */
  recordSent(all: readonly OutgoingEvent[]): Promise<void>;
  /** Writes outcomes, without a sync: an event whose outcome is lost is sent again, and the service knows its id. */
  recordOutcomes(all: readonly { sent: OutgoingEvent; errorCode?: string | undefined }[]): Promise<void>;
  close(): Promise<void>;
};

/** Returns the path of `--journal FILE`, or that of this service and profile in the data folder. */
export function journalPath(file: string | undefined, { world, directories, settings }: App): string {
  if (file !== undefined) return resolve(world.cwd, file);
  const origin = tokenOrigin(settings);
  const profile = settings.profile.value;
  const hash = createHash('sha256').update(`${origin}\n${profile}`).digest('hex').slice(0, 8);
  const place = origin.startsWith('local:') ? 'local' : origin.replace(/^https?:\/\//, '');
  const name = `${place}-${profile}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  return join(directories.data, 'sent', `${name}-${hash}.ndjson`);
}

/**
 * Opens a journal for appending, and makes it where it is missing, readable by its owner alone. Several processes may
 * have it open: each record is one write at the end. A line that a killed process left unfinished is ended first.
 * Throws Fault 'disk' or 'unsafe'.
 */
export async function openJournal(path: string, app: App): Promise<Journal> {
  const what = `journal ${path}`;
  try {
    // A folder named by --journal keeps the mode that its owner gave it.
    if (dirname(path) === join(app.directories.data, 'sent'))
      ensurePrivateFolder(dirname(path), app.storeWorld);
    const file = await openRegularFile(path);
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    if (size > 0 && last[0] !== 10) await file.appendFile('\n');
    const append = async (lines: readonly string[]): Promise<void> => {
      let left = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      // One write cannot be split by another process. A full disk may take only a part of it.
      while (left.length > 0) left = left.subarray((await file.write(left)).bytesWritten);
    };
    const guarded = async (work: () => Promise<void>): Promise<void> => {
      await work().catch((error: unknown) => {
        throw diskFault(error, what);
      });
    };
    /** Returns the beginning of a record; the rest follows. */
    const recordStart = () => {
      const at = new Date(app.world.now()).toISOString();
      return (type: JournalEntry['type'], { digest }: OutgoingEvent) =>
        `{"type":"${type}","at":"${at}","digest":"${digest}",`;
    };
    return {
      path,
      recordSent: (all) =>
        guarded(async () => {
          const head = recordStart();
          await append(
            all.map((one) =>
              hasLineEnd(one.text)
                ? `${head('sent', one)}"text":${JSON.stringify(one.text)}}`
                : `${head('sent', one)}"event":${one.text}}`,
            ),
          );
          await file.datasync();
        }),
      recordOutcomes: (all) =>
        guarded(async () => {
          const head = recordStart();
          await append(
            all.map(({ sent, errorCode }) => {
              const id = `"id":${JSON.stringify(sent.event.id)}`;
              return errorCode === undefined
                ? `${head('acked', sent)}${id}}`
                : `${head('refused', sent)}${id},"code":${JSON.stringify(errorCode)}}`;
            }),
          );
        }),
      close: () => guarded(async () => file.datasync().finally(() => file.close())),
    };
  } catch (error) {
    // A folder that cannot be made is reported like a file that cannot be made.
    const isSystemError = error instanceof Fault && error.detail.cause !== undefined;
    throw diskFault(isSystemError ? error.detail.cause : error, what);
  }
}

/** Returns whether the JSON of an event cannot be a line of a file or of a batch. */
export function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** A line is an envelope, at worst with each character escaped, and less than 4 KiB more. */
const MAX_LINE_BYTES = 2 * MAX_REQUEST_BYTES + 4096;

/**
 * Yields the records of a journal in order, none where there is no file. A malformed line, as a killed sender leaves it,
 * is skipped: its event counts as not sent, or as not acknowledged. Throws Fault 'disk' or 'unsafe'.
 */
export async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  const file = await openRegularFile(path, constants.O_RDONLY).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskFault(error, `journal ${path}`);
  });
  if (file === undefined) return;
  try {
    const { size } = await file.stat();
    for await (const line of linesOf(file, size, MAX_LINE_BYTES)) {
      const entry = entryOf(line);
      if (entry !== undefined) yield entry;
    }
  } finally {
    await file.close();
  }
}

function entryOf(line: Buffer): JournalEntry | undefined {
  const value = parseJsonBytes(line);
  const sent = Sent.safeParse(value);
  if (!sent.success) return Outcome.safeParse(value).data;
  const { text, ...entry } = sent.data;
  const given = text === undefined ? undefined : parseJsonBytes(Buffer.from(text));
  const event = entry.event ?? IngestRequest.safeParse(given).data;
  const textOf = () => text ?? scanJson(line.toString()).members.get('event')!.text;
  return event === undefined ? undefined : { ...entry, event, text: textOf };
}

/** Returns the digests of all acknowledged events of a journal, in sixteen bytes each. */
export async function acknowledgedDigests(path: string): Promise<IdSet> {
  const seen = new IdSet();
  for await (const entry of readJournal(path)) if (entry.type === 'acked') seen.add(entry.digest);
  return seen;
}

/** Yields the records of a journal that must exist. Throws Fault 'not_found' where it has none. */
export async function* readExistingJournal(path: string): AsyncGenerator<JournalEntry> {
  let entries = 0;
  for await (const entry of readJournal(path)) {
    entries += 1;
    yield entry;
  }
  if (entries === 0) {
    throw new Fault('not_found', `no event was sent with the journal ${path}`, {
      hint: '--journal FILE names another one',
    });
  }
}
