// `arx messages show ID`: one message of the list; --around N shows its neighbours in its conversation, or in the whole archive.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Message } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { messageView, neighbourView } from '../../format/views/index.ts';
import { changesAmong, countContradictions } from '../lists/contradictions.ts';
import { exactRowsOf } from '../lists/exact-rows.ts';
import { findRecord } from '../lists/find-record.ts';
import { wholeNumber } from '../shared/input.ts';
import { filteredMessages } from './message-list.ts';
import { idArgument } from '../../shell-words.ts';

/** More are a list: `messages ls --conversation`. */
const MAX_AROUND = 1000;

export const Input = z.object({
  id: z.string().min(1),
  around: wholeNumber(1)
    .refine((count) => count <= MAX_AROUND, `must be at most ${MAX_AROUND}`)
    .optional(),
  in: z.enum(['conversation', 'archive']).optional(),
});
type Input = z.infer<typeof Input>;

/** Messages beside one, the nearest last before it and first after it. */
type Neighbours = {
  before: Message[];
  after: Message[];
  isFirst: boolean;
  isLast: boolean;
  fault?: Fault | undefined;
};

export async function run({ id, around, in: scope }: Input, app: App): Promise<void> {
  if (around === undefined && scope !== undefined) throw new Fault('usage', '--in goes with --around');
  const client = await app.client();
  const page = async (window: Parameters<typeof client.messages>[0]) => (await client.messages(window)).body;
  const row = await findRecord<Message>(id, { noun: 'message', page }, app);
  if (around === undefined) {
    await app.printer.record(messageView, row);
    if (app.strict && row.status === 'withheld') app.addFault(new Fault('partial', `${id} is withheld`));
    return countContradictions(app, undefined, changesAmong(client.changesOf('messages'), [id]));
  }
  const list = scope === 'archive' ? 'the archive' : conversationOf(row);
  const found = await neighbours(row, around, scope === 'archive' ? undefined : list, app);
  const { before, after, fault } = found;
  const rows = [
    ...before.map((each, index) => ({ ...each, offset: index - before.length })),
    { ...row, offset: 0 },
    ...after.map((each, index) => ({ ...each, offset: index + 1 })),
  ];
  const withheld = rows.filter(({ status }) => status === 'withheld').length;
  await app.printer.list(neighbourView, {
    rows,
    extra: { list: scope === 'archive' ? null : list, is_first: found.isFirst, is_last: found.isLast },
    summary: () => ({ rows: rows.length, withheld }),
  });
  // JSON says the same in its fields.
  if (found.isFirst && !app.wantsJson) app.notice(`${rows[0]!.id} is the first message of ${list}`);
  if (found.isLast && !app.wantsJson) app.notice(`${rows.at(-1)!.id} is the last message of ${list}`);
  if (withheld > 0) {
    const text = `${formatCount(withheld)} of these ${plural(rows.length, 'message')} ${withheld === 1 ? 'is' : 'are'} withheld: only ${withheld === 1 ? 'its' : 'their'} place is shown`;
    if (app.strict) app.addFault(new Fault('partial', text));
    else if (!app.wantsJson) app.notice(text);
  }
  if (fault !== undefined) app.addFault(fault);
  const shown = rows.map((each) => each.id);
  countContradictions(app, undefined, changesAmong(client.changesOf('messages'), shown));
}

function conversationOf({ id, conversation_id: conversation }: Message): string {
  if (typeof conversation === 'string') return conversation;
  throw new Fault('partial', `the service does not say of which conversation ${id} is`, {
    hint: ({ arx }) => `${arx} messages show --around 5 --in archive ${idArgument(id)}`,
  });
}

/** Reads the list up to the last neighbour. Throws Fault 'unstable' where the list does not have the message. */
async function neighbours(
  { id }: Message,
  count: number,
  conversation: string | undefined,
  app: App,
): Promise<Neighbours> {
  const list = filteredMessages({ conversation }, await app.client(), app);
  const listing = exactRowsOf(list, app);
  let before: Message[] = [];
  let skipped = false;
  let after: Message[] | undefined;
  for await (const row of listing.rows) {
    if (!list.matches(row)) continue;
    if (row.id === id) after = [];
    else if (after === undefined) {
      before.push(row);
      skipped ||= before.length > count;
      // Not at each row, which would take time with the square of the count.
      if (before.length > 2 * count) before = before.slice(-count);
    } else if (after.length < count) after.push(row);
    else
      return { before: before.slice(-count), after, isFirst: !skipped, isLast: false, fault: list.fault() };
  }
  const fault = listing.fault() ?? list.fault();
  if (after === undefined)
    throw fault ?? new Fault('unstable', `${id} was found alone and is not in the list of messages`);
  return { before: before.slice(-count), after, isFirst: !skipped, isLast: fault === undefined, fault };
}
