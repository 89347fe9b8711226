// Finds out whether /messages?opening=true can be used to cross-check the conversations: the parameter is our own (interface 4.8).
import { deadline } from '../client/deadline.ts';
import { Fault } from '../faults.ts';
import { KnownRows } from './known-rows.ts';
import { readFirstPage } from './page-limit.ts';
import { orderLogOdds, showingOf } from './probe-verdict.ts';

/** A message as far as the cross-check needs it. */
export type OpeningRow = { id: string; conversation_id?: string | null | undefined };
/** A conversation as far as the cross-check needs it: the id of its first message is the cursor. */
export type ConversationRow = { id: string; first_message_id?: unknown };
/** What is asked of /messages. `opening` is sent as it is; absent: all messages. */
export type MessagesQuery = { opening?: boolean | string; after?: string; limit: number };
/** Reads a page of messages. */
export type ReadMessages = (query: MessagesQuery) => Promise<{ rows: OpeningRow[]; has_more?: boolean }>;

/**
 * Whether /messages can be used, and how that is known or why not: `reason` completes the sentence "no cross-check: …". `limit`
 * is the largest page that it accepts.
 */
export type CrossCheckSupport =
  { usable: true; reason: string; limit: number } | { usable: false; reason: string };

/** Longest wait for one answer of /messages. A walk must not wait for a second list. */
export const MAX_CROSS_CHECK_MS = 5_000;
/** Pages that may look wrong before they count: any page may be faulty. */
const MAX_TRIES = 6;
/** Messages of conversations that the page has already shown: so many are no fault of one page. */
const MIN_REPLIES = 2;
/** Share of the rows of two pages that must be the same. */
const MIN_SHARE = 0.5;
/** A value that no service takes for a boolean. */
const WRONG_VALUE = 'neither';
/** Status codes with which a service that knows a parameter refuses a wrong value. */
const WRONG_VALUE_STATUS: ReadonlySet<number> = new Set([400, 422]);

/** What {@link detectCrossCheck} is given. */
export type CrossCheckOptions = {
  messages: ReadMessages;
  /** Returns the first `limit` conversations, in the order of the list. */
  conversations: (limit: number) => Promise<readonly ConversationRow[]>;
  limit: number;
  signal: AbortSignal;
  /** Absent: {@link MAX_CROSS_CHECK_MS}. */
  maxWaitMs?: number;
};

/**
 * Returns whether /messages?opening=true lists the first message of each conversation in the order of the conversations. Where its
 * rows may be plain messages it does not count. Makes four requests when no answer is wrong. A refusal of /messages, whatever it is,
 * is a reason. Throws the faults of the conversations, and the reason of an aborted run.
 */
export async function detectCrossCheck(options: CrossCheckOptions): Promise<CrossCheckSupport> {
  const { signal, maxWaitMs = MAX_CROSS_CHECK_MS } = options;
  const messages: ReadMessages = (query) => answerWithin(maxWaitMs, signal, () => options.messages(query));
  const openings = (query: { after?: string; limit: number }) => messages({ opening: true, ...query });
  let limit: number;
  let first: readonly OpeningRow[];
  try {
    const page = await readFirstPage({ page: openings }, options.limit, signal);
    ({ limit } = page);
    first = page.page.rows;
  } catch (error) {
    return { usable: false, reason: refusalOf(error, signal) };
  }
  const smaller = (tried: number): number => Math.max(1, limit - tried);
  let conversations: readonly ConversationRow[] = [];
  let problem: string | undefined;
  let read = 0;
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    conversations = await options.conversations(smaller(tried));
    try {
      if (tried > 0) first = (await openings({ limit: smaller(tried) })).rows;
      problem = problemIn(first, conversations);
      read++;
      if (problem === undefined) break;
    } catch (error) {
      return { usable: false, reason: refusalOf(error, signal) };
    }
  }
  if (problem !== undefined) return { usable: false, reason: problem };
  if (first.length === 0) return { usable: true, reason: 'both lists are empty', limit };
  try {
    const known = await howParameterIsKnown();
    if (known === undefined)
      return {
        usable: false,
        reason: '/messages gives the same without opening=true: these may be plain messages',
      };
    return (await isCursorFollowed())
      ? { usable: true, reason: known, limit }
      : { usable: false, reason: '/messages?opening=true does not follow starting_after' };
  } catch (error) {
    return { usable: false, reason: refusalOf(error, signal) };
  }

  /** Returns how it is known that the service understands `opening`, undefined where that is not known. */
  async function howParameterIsKnown(): Promise<string | undefined> {
    try {
      await messages({ opening: WRONG_VALUE, limit: 1 });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (WRONG_VALUE_STATUS.has(error.detail.status ?? 0)) return 'it refuses a wrong value of opening';
    }
    const plain = (await messages({ limit })).rows;
    if (repliesIn(plain) < MIN_REPLIES) return undefined;
    // The first page may lack the replies by chance.
    const again = (await openings({ limit: smaller(read) })).rows;
    return repliesIn(again) === 0 && again.length > 0 ? 'it leaves out the other messages' : undefined;
  }

  async function isCursorFollowed(): Promise<boolean> {
    const known = new KnownRows();
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      // The page of conversations may be the faulty one.
      if (tried % 2 === 1) conversations = await options.conversations(smaller(tried));
      known.add(conversations.map(({ id }) => id));
      const cursors = conversations.filter(({ first_message_id: opening }) => typeof opening === 'string');
      const cursor = cursors[Math.max(0, Math.floor(cursors.length / 2) - tried)];
      if (cursor === undefined) continue;
      const size = smaller(tried);
      const page = await openings({ after: String(cursor.first_message_id), limit: size });
      const shown = page.rows.flatMap(({ conversation_id: id }) => id ?? []);
      if (showingOf(shown, { after: cursor.id, limit: size }, known.ids) === 'followed') return true;
    }
    return false;
  }
}

/** Returns what contradicts that these are the first messages of these conversations, in their order. */
function problemIn(
  openings: readonly OpeningRow[],
  conversations: readonly ConversationRow[],
): string | undefined {
  const ids = openings.map(({ conversation_id: id }) => id);
  if (openings.length === 0)
    return conversations.length === 0 ? undefined : '/messages?opening=true lists no message';
  if (!ids.every((id) => typeof id === 'string')) return 'the messages do not name their conversation';
  if (repliesIn(openings) > 0) return '/messages gives several messages of one conversation for opening=true';
  const openingOf = new Map(openings.map(({ id, conversation_id }) => [conversation_id, id]));
  const common = conversations.filter(({ id }) => openingOf.has(id));
  if (common.length < MIN_SHARE * Math.min(openingOf.size, conversations.length) || common.length === 0)
    return '/messages?opening=true begins with other conversations than their list';
  const named = common.filter(({ first_message_id: opening }) => typeof opening === 'string');
  if (named.length < MIN_SHARE * common.length) return 'the conversations do not name their first message';
  const agreeing = named.filter(({ id, first_message_id: opening }) => openingOf.get(id) === opening);
  if (agreeing.length < MIN_SHARE * named.length)
    return '/messages?opening=true gives other messages than the conversations name as their first';
  const order = orderLogOdds(
    ids,
    conversations.map(({ id }) => id),
  );
  return common.length > 1 && order <= 0
    ? '/messages?opening=true lists the conversations in another order'
    : undefined;
}

/** Returns how many messages belong to a conversation that an earlier one belongs to. A message that comes twice counts once. */
function repliesIn(rows: readonly OpeningRow[]): number {
  const messages = new Map(rows.map(({ id, conversation_id }) => [id, conversation_id]));
  return messages.size - new Set(messages.values()).size;
}

/** Returns the reason of a refusal. Throws what is not a Fault, and an interruption. */
function refusalOf(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
  const { status } = error.detail;
  if (status === 404) return 'the service has no /messages';
  return status === undefined
    ? `/messages gives no answer: ${error.message}`
    : `/messages refuses opening=true (status ${status})`;
}

/** Returns what `work` does. Throws Fault 'network' where that takes longer; the work itself goes on. */
export async function answerWithin<T>(ms: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const limit = deadline(ms, signal, () => new Fault('network', `no answer within ${ms / 1000} s`));
  const late = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error), { once: true });
  });
  late.catch(() => {});
  try {
    return await Promise.race([work(), late]);
  } finally {
    limit.release();
  }
}
