// A sender's journal: what is about to be sent, durably before it goes, and what came of it; one JSON record a line.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { ensurePrivateFolder } from '../../config/private-file.ts';
import { tokenOrigin } from '../../config/session.ts';
import { IngestRequest } from '../../contract/event.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { linesOf } from '../../disk/lines.ts';
import { openRegularFile } from '../../disk/regular-file.ts';
import { IdSet } from '../../walk/order/id-set.ts';
import type { OutgoingEvent } from './envelopes.ts';

const common = { at: z.string(), digest: z.string() };
const JournalEntry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sent'), ...common, event: IngestRequest }),
  z.object({ type: z.literal('acked'), ...common, id: z.string() }),
  z.object({ type: z.literal('refused'), ...common, id: z.string(), code: z.string() }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;

export type Journal = {
  readonly path: string;
  /** Notes what is about to be sent; durable when it resolves. Throws Fault `disk`. */
  recordSent(all: readonly OutgoingEvent[]): Promise<void>;
  /** Notes what came of some; what of this is lost with the power is sent again, and known there by its id. */
  recordOutcomes(all: readonly { sent: OutgoingEvent; refusal?: string | undefined }[]): Promise<void>;
  close(): Promise<void>;
};

/** `--journal FILE`, else the one of this service and profile in the data folder. */
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
 * Opens a journal to append to, made where it is missing, readable for its owner alone. Several processes may have it
 * open: each record is one write at the end, and a line that a killed one left torn is ended before the next.
 * Throws Fault `disk` or `unsafe`.
 */
export async function openJournal(path: string, app: App): Promise<Journal> {
  const what = `journal ${path}`;
  try {
    // Another folder is its owner's affair.
    if (dirname(path) === join(app.directories.data, 'sent'))
      ensurePrivateFolder(dirname(path), app.storeWorld);
    const file = await openRegularFile(path);
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    if (size > 0 && last[0] !== 10) await file.appendFile('\n');
    const append = async (lines: readonly string[]): Promise<void> => {
      let left = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      // In one write, which nobody else's can come into the middle of; a disk that is full takes a part.
      while (left.length > 0) left = left.subarray((await file.write(left)).bytesWritten);
    };
    const guarded = async (work: () => Promise<void>): Promise<void> => {
      await work().catch((error: unknown) => {
        throw diskFault(error, what);
      });
    };
    /** What a record begins with; the event follows as it is sent. */
    const begun = () => {
      const at = new Date(app.world.now()).toISOString();
      return (type: JournalEntry['type'], { digest }: OutgoingEvent) =>
        `{"type":"${type}","at":"${at}","digest":"${digest}",`;
    };
    return {
      path,
      recordSent: (all) =>
        guarded(async () => {
          const head = begun();
          await append(all.map((one) => `${head('sent', one)}"event":${one.text}}`));
          await file.datasync();
        }),
      recordOutcomes: (all) =>
        guarded(async () => {
          const head = begun();
          await append(
            all.map(({ sent, refusal }) => {
              const id = `"id":${JSON.stringify(sent.event.id)}`;
              return refusal === undefined
                ? `${head('acked', sent)}${id}}`
                : `${head('refused', sent)}${id},"code":${JSON.stringify(refusal)}}`;
            }),
          );
        }),
      close: () => guarded(async () => file.datasync().finally(() => file.close())),
    };
  } catch (error) {
    // Where it cannot be made it is the disk's fault, as the file itself would be.
    const isSystems = error instanceof Fault && error.detail.cause !== undefined;
    throw diskFault(isSystems ? error.detail.cause : error, what);
  }
}

/** A line of ours is an envelope and a little more. */
const MAX_LINE_BYTES = MAX_REQUEST_BYTES + 4096;

/**
 * The records of a journal, in order; none where there is no file. A line that is none, as a killed sender leaves it,
 * says nothing: what it spoke of counts as not sent, or not acknowledged. Throws Fault `disk` or `unsafe`.
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
      const entry = JournalEntry.safeParse(parse(line.toString('utf8')));
      if (entry.success) yield entry.data;
    }
  } finally {
    await file.close();
  }
}

/** What was acknowledged according to a journal, by digest, in sixteen bytes each. */
export async function acknowledgedDigests(path: string): Promise<IdSet> {
  const seen = new IdSet();
  for await (const entry of readJournal(path)) if (entry.type === 'acked') seen.add(entry.digest);
  return seen;
}

/** A journal that must be there. Throws Fault `not_found`. */
export async function* readExistingJournal(path: string): AsyncGenerator<JournalEntry> {
  let entries = 0;
  for await (const entry of readJournal(path)) {
    entries += 1;
    yield entry;
  }
  if (entries === 0) {
    throw new Fault('not_found', `no event was sent with the journal ${path}`, {
      hint: 'another one is named by --journal',
    });
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
