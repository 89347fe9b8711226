// `arx content get MSG…`: shows content records; --raw writes their stored bytes alone, --save saves all of them in a folder.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import { Fault } from '../../faults.ts';
import type { Line } from '../../format/terminal/styled-line.ts';
import { plural } from '../../format/numbers.ts';
import { contentView } from '../../format/views/index.ts';
import { isLimited, LIMIT_INPUT } from '../shared/download-limits.ts';
import { withPipedIds } from '../shared/id-list.ts';
import { isOfOneRecord } from '../lists/single-record.ts';
import { failUnavailable, type Unavailable } from '../shared/unavailable.ts';
import { refuseOutputForm } from '../shared/write-bytes.ts';
import { readContent } from './read-content.ts';
import { save, type SavedRecord } from './save-content.ts';
import { writeStored } from './write-stored.ts';

export const Input = z.object({
  messages: z.array(z.string().min(1)).min(1),
  view: z.enum(['raw', 'lore']).default('raw'),
  pipeline: z.boolean().default(false),
  stego: z.boolean().default(false),
  raw: z.boolean().default(false),
  save: z.string().min(1).optional(),
  force: z.boolean().default(false),
  allowEscapeSequences: z.boolean().default(false),
  ...LIMIT_INPUT,
});
type Input = z.infer<typeof Input>;

/** Records that are read ahead. Each may have a text of some megabytes. */
const MAX_RECORDS_AHEAD = 4;

export async function run(input: Input, app: App): Promise<void> {
  if (input.raw) refuseOutputForm('--raw', app);
  if (input.raw && input.view === 'lore')
    throw new Fault('usage', '--raw writes the stored bytes, which the lore view does not have: choose one');
  if (input.raw && input.save !== undefined)
    throw new Fault('usage', '--save keeps the stored bytes too: choose it or --raw');
  if (input.force && input.save === undefined && !app.isRecorded)
    throw new Fault('usage', '--force goes with --save DIR');
  if (isLimited(input) && input.save === undefined)
    throw new Fault('usage', '--max-rate and --max-bytes go with --save DIR');
  const { messages: given } = input;
  const messages = await withPipedIds(given, ['id'], app);
  if (messages.length === 0) throw new Fault('partial', 'no ids were given');
  // What a pipe gives is a list, also where it is one.
  const isOne = given.length === 1 && given[0] !== '-';
  const doubts: Doubts = { failed: 0, cut: 0, total: 0, withheld: 0, absent: 0 };
  const records = readAll(messages, isOne, doubts, input, app);
  if (input.raw) await writeAll(records, messages.length, input, app);
  else if (input.save !== undefined) await save(records, { ...input, dir: input.save, messages }, app);
  else if (isOne) {
    // The raw view of another service may have other fields; all that exist are shown.
    for await (const { content } of records) await app.printer.record(contentView, content);
  } else await print(records, doubts, app);
  // Stored bytes are whole or an error, and a report of saved files names those that cannot be had.
  if (!input.raw && input.save === undefined) failDoubts(doubts, app);
}

/** Counts the records that cannot be read, those that are cut, and the files of all that were read. */
type Doubts = Unavailable & { failed: number; cut: number };

/** Counts the files of a record, those that it says cannot be had, and whether a field of it is cut. */
function countDoubts({ data }: Content, doubts: Doubts): void {
  const { attachments = [], unavailable = [], truncated = [] } = data as RawRecord;
  if (truncated.length > 0) doubts.cut += 1;
  doubts.total += attachments.length;
  for (const { state } of unavailable) doubts[state] += 1;
}

/** Fails a run under `--strict` for what is shown and cannot be had. A record that cannot be read is a Fault already. */
function failDoubts(doubts: Doubts, app: App): void {
  failUnavailable(app, doubts, 'file');
  const { cut } = doubts;
  if (app.strict && cut > 0)
    app.addFault(
      new Fault(
        'partial',
        `${plural(cut, 'record')} ${cut === 1 ? 'is' : 'are'} cut: too long for one answer`,
        {
          hint: ({ arx }) => `the whole message: ${arx} content get --raw MSG`,
        },
      ),
    );
}

/** `isOne`: there is nothing else to show, so what is wrong is thrown. */
async function* readAll(
  messages: readonly string[],
  isOne: boolean,
  doubts: Doubts,
  input: Input,
  app: App,
): AsyncGenerator<SavedRecord> {
  async function* ids(): AsyncGenerator<string> {
    yield* messages;
  }
  const read = async (message: string): Promise<SavedRecord | Fault> => {
    try {
      const { body, text } = await readContent({ ...input, message }, app);
      return { message, view: input.view, content: body as Content, text };
    } catch (error) {
      if (isOne || !isOfOneRecord(error)) throw error;
      return new Fault(error.kind, withId(message, error.message), error.detail);
    }
  };
  for await (const record of mapConcurrent(ids(), MAX_RECORDS_AHEAD, read)) {
    if (!(record instanceof Fault)) {
      countDoubts(record.content, doubts);
      yield record;
    } else {
      doubts.failed += 1;
      app.addFault(record);
    }
  }
}

const withId = (id: string, message: string): string =>
  message.includes(id) ? message : `${id}: ${message}`;

async function writeAll(
  records: AsyncIterable<SavedRecord>,
  count: number,
  input: Input,
  app: App,
): Promise<void> {
  for await (const { message, content } of records) {
    try {
      await writeStored(content.data, { ...input, message }, app);
    } catch (error) {
      if (count === 1 || !isOfOneRecord(error)) throw error;
      app.addFault(error);
    }
  }
}

/** Prints several records: for people one below the other, else as a list. */
async function print(records: AsyncIterable<SavedRecord>, doubts: Doubts, app: App): Promise<void> {
  let rows = 0;
  async function* contents(): AsyncGenerator<Content> {
    for await (const { content } of records) {
      rows += 1;
      yield content;
    }
  }
  if (app.printer.output === 'table') {
    for await (const content of contents()) {
      if (rows > 1) await app.printer.lines(blank());
      await app.printer.record(contentView, content);
    }
    return;
  }
  await app.printer.list(contentView, {
    rows: contents(),
    summary: () => {
      const { failed, cut, withheld, absent } = doubts;
      return { rows, withheld, absent, complete: failed + cut + withheld + absent === 0 };
    },
  });
}

async function* blank(): AsyncGenerator<Line> {
  yield* ['', ''];
}
