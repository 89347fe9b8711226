// `arx read ID…`: messages and conversations as a person reads them.
import * as z from 'zod';
import type { App } from '../app.ts';
import type { RawRecord } from '../contract/content.ts';
import type { ReadMessage } from '../contract/reports/reading.ts';
import { Fault } from '../faults.ts';
import type { Line } from '../format/terminal/styled-line.ts';
import {
  conversationWithMessagesView,
  readMessageLines,
  readMessageView,
  type ReadingStyle,
} from '../format/views/index.ts';
import { readContent } from './content/read-content.ts';
import { writeStored } from './content/write-stored.ts';
import { withPipedIds } from './shared/id-list.ts';
import { readMessage } from './read/read-message.ts';
import { problemOf, readOrProblem, readThread, threadMessages } from './read/read-thread.ts';
import { recordKind } from './lists/record-kind.ts';
import { refuseOutputForm } from './shared/write-bytes.ts';
import { failUnavailable, type Unavailable } from './shared/unavailable.ts';
import { idArgument } from '../shell-words.ts';

export const Input = z.object({
  ids: z.array(z.string().min(1)).min(1),
  headers: z.boolean().default(false),
  raw: z.boolean().default(false),
  lore: z.boolean().default(false),
  preferHtml: z.boolean().default(false),
  quotes: z.boolean().default(false),
  thread: z.boolean().default(false),
  allowEscapeSequences: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

/** Something to print: lines above messages, or a message with its lines. */
type Item = { lines: Iterable<Line>; message?: ReadMessage };

export async function run(input: Input, app: App): Promise<void> {
  if (input.raw) return writeRaw(input, app);
  const { output, value } = { output: app.printer.output, value: app.settings.output };
  const isText = output === 'table' || (output === 'tsv' && value.origin === 'default');
  const isTerminal = app.world.stdout.isTTY;
  const style: ReadingStyle = {
    columns: isTerminal ? app.screen.columns : undefined,
    isFolded: isTerminal && !input.quotes,
    timeZone: app.instants.timeZone,
  };
  const doubts: Doubts = { problems: 0, unread: 0, total: 0, withheld: 0, absent: 0 };
  const items = counted(readAll(input, style, app), doubts);
  if (isText) await app.printer.lines({ pages: linesOf(items) });
  else await printRows(items, doubts, app);
  // A message that cannot be read is a Fault already.
  failUnavailable(app, doubts, 'file');
  if (app.strict && doubts.unread > 0)
    app.addFault(new Fault('partial', 'parts of a message could not be read, as it says beside each'));
}

/** Counts the messages that cannot be read, the parts of the others that cannot be read, and their files. */
type Doubts = Unavailable & { problems: number; unread: number };

async function* counted(items: AsyncIterable<Item>, doubts: Doubts): AsyncGenerator<Item> {
  for await (const item of items) {
    const { problem, parts = [], warnings = [] } = item.message ?? {};
    if (problem !== undefined) doubts.problems += 1;
    for (const { kind, state } of parts) {
      if (kind !== 'file') continue;
      doubts.total += 1;
      if (state === 'withheld' || state === 'absent') doubts[state] += 1;
    }
    doubts.unread += warnings.filter(({ about }) => about === 'content' || about === 'files').length;
    yield item;
  }
}

async function printRows(items: AsyncIterable<Item>, doubts: Doubts, app: App): Promise<void> {
  let rows = 0;
  const messages = async function* (): AsyncGenerator<ReadMessage> {
    for await (const { message } of items) {
      if (message === undefined) continue;
      rows += 1;
      yield message;
    }
  };
  await app.printer.list(readMessageView, {
    rows: messages(),
    summary: () => {
      const { problems, withheld, absent, unread } = doubts;
      return { rows, withheld, absent, complete: problems + withheld + absent + unread === 0 };
    },
  });
}

/** Yields the lines of one item after the other. */
async function* linesOf(items: AsyncIterable<Item>): AsyncGenerator<Iterable<Line>> {
  let isFirst = true;
  for await (const { lines } of items) {
    if (!isFirst) yield ['', ''];
    isFirst = false;
    yield lines;
  }
}

async function* readAll(input: Input, style: ReadingStyle, app: App): AsyncGenerator<Item> {
  const ids = await withPipedIds(input.ids, ['id'], app);
  if (ids.length === 0) throw new Fault('partial', 'no ids were given');
  const isOnly = ids.length === 1;
  for (const id of ids) {
    const kind = await recordKind(id, app);
    if (kind === 'attachment')
      throw new Fault('usage', `${id} is an attachment, not a message`, {
        hint: ({ arx }) => `${arx} attachments show ${idArgument(id)}`,
      });
    if (kind === 'conversation') {
      try {
        yield* threadItems(id, input, style, app);
      } catch (error) {
        if (isOnly) throw error;
        const message = problemOf(id, error, app);
        yield { message, lines: readMessageLines(message, style) };
      }
      continue;
    }
    const message = await readOne(id, isOnly, input, app);
    const conversation = message.conversation_id;
    if (!input.thread || message.problem !== undefined)
      yield { message, lines: readMessageLines(message, style) };
    else if (conversation === null)
      throw new Fault('partial', `the service does not say of which conversation ${id} is`);
    else yield* threadItems(conversation, input, style, app);
  }
}

/** `isOnly`: there is nothing else to show, so what is wrong is thrown. */
async function readOne(id: string, isOnly: boolean, input: Input, app: App): Promise<ReadMessage> {
  return isOnly ? readMessage(id, input, app) : readOrProblem(id, input, app);
}

async function* threadItems(id: string, input: Input, style: ReadingStyle, app: App): AsyncGenerator<Item> {
  const progress = app.progress();
  const { conversation, messages, fault } = await readThread(id, app, (rows, { message_count: total }) =>
    progress.update({ label: id, done: rows.length, total, unit: 'messages' }),
  ).finally(() => progress.end());
  const wire = { ...conversation, messages: { data: messages } };
  const canvas = { columns: style.columns, unicode: app.screen.unicode, instants: app.instants };
  yield { lines: conversationWithMessagesView.lines!(wire, canvas) };
  const senders = new Map(messages.map((row) => [row.id, row.from ?? undefined]));
  for await (const message of threadMessages(messages, input, app))
    yield { message, lines: readMessageLines(message, style, senders.get(message.parent_id ?? '')) };
  if (fault !== undefined) app.addFault(fault);
}

async function writeRaw(input: Input, app: App): Promise<void> {
  refuseOutputForm('--raw', app);
  const [message = '', ...others] = await withPipedIds(input.ids, ['id'], app);
  if (message === '') throw new Fault('partial', 'no ids were given');
  if (others.length > 0)
    throw new Fault('usage', '--raw writes one message: give one id', {
      hint: ({ arx }) => `${arx} content get ID... -o ndjson gives the stored bytes of many (raw_base64)`,
    });
  const { body } = await readContent({ message, view: 'raw', pipeline: false, stego: false }, app);
  await writeStored(body.data as RawRecord, { ...input, message }, app);
}
