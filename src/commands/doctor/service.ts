// Examines a service: health, token, lists, cross-check source, single records and files, in the order of their weight.
import { parseResponseWith } from '../../client/response.ts';
import { safeText } from '../../client/safe-text.ts';
import { createBodyReader } from '../../client/shapes/record-body.ts';
import { HEALTH } from '../../client/shapes/record-kinds.ts';
import { ROUTES } from '../../contract/routes.ts';
import type { ExaminedListName, ServiceReport } from '../../contract/reports/service.ts';
import type { FileAccess } from '../../download/file-request.ts';
import { Fault } from '../../faults.ts';
import type { World } from '../../world.ts';
import { examineCrossCheck } from './cross-check.ts';
import { noLimitKnown } from './cursors.ts';
import type { Examiner } from './examiner.ts';
import { examineFiles, NO_FILES } from './files.ts';
import { examineList, describeRows, unseenList, type SeenList } from './lists.ts';
import { examineRecords } from './records.ts';
import { settle } from './settle.ts';

/** What was found out, without what the command adds. */
export type ServiceFacts = Omit<
  ServiceReport,
  'version' | 'base_url' | 'outcome' | 'elapsed_ms' | 'findings' | 'stopped' | 'requests' | 'auth'
> & { auth: Omit<ServiceReport['auth'], 'token'> };

/** Where each list may be. The interface names /messages without a prefix (interface 4.8). */
const PATHS: Record<ExaminedListName, readonly string[]> = {
  conversations: [ROUTES.conversations.path],
  messages: [ROUTES.messages.path, ROUTES.messages_v1.path],
  attachments: [ROUTES.attachments.path],
  events: [ROUTES.events.path],
};

/** The facts of a service that did not answer. */
export const NOTHING_SEEN: ServiceFacts = {
  health: { state: 'unseen', service: null, version: null },
  auth: { accepted: 'unseen', needed: 'unseen' },
  clock_offset_ms: null,
  drift_ratio: null,
  transport: { cut: 0, unanswered: 0 },
  rate_limit_headers: [],
  lists: {
    conversations: unseenList(PATHS.conversations[0]!, 'unseen'),
    messages: unseenList(PATHS.messages[0]!, 'unseen'),
    attachments: unseenList(PATHS.attachments[0]!, 'unseen'),
    events: unseenList(PATHS.events[0]!, 'unseen'),
  },
  cross_check: { usable: null, opening: 'unseen', reason: 'not tried' },
  records: {
    attachment: 'unseen',
    conversation: 'unseen',
    content_raw: 'unseen',
    content_lore: 'unseen',
    sequence: 'unseen',
  },
  errors: { documented: 0, other: 0, lacking: [] },
  rows: { sampled: 0, withheld: 0, tiers: {}, sources: {} },
  files: NO_FILES,
};

/**
 * Examines the service. `openFiles` returns how its files are fetched. Throws the Fault of the first request where no
 * response comes at all.
 */
export async function examineService(
  examiner: Examiner,
  openFiles: () => Promise<FileAccess>,
  world: World,
): Promise<ServiceFacts> {
  const health = await examineHealth(examiner);
  const memory = noLimitKnown();
  const list = (name: ExaminedListName) => examineList(examiner, name, PATHS[name], memory);
  const conversations = await list('conversations');
  const messages = await list('messages');
  const attachments = await list('attachments');
  const events = await list('events');
  const lists = [messages, conversations, attachments, events];
  const crossCheck = await examineCrossCheck(conversations, messages, memory, examiner.signal);
  const auth = await examineAuth(examiner, lists);
  const records = await examineRecords(examiner, {
    ...firstId('attachment', attachments),
    ...firstId('conversation', conversations),
    ...messageId(lists),
  });
  const files = await examineFilesOf(examiner, attachments, openFiles, world);
  const { errors, rateLimitHeaders, drift, clockOffsetMs, cut, unanswered } = examiner.notes;
  return {
    health,
    auth,
    clock_offset_ms: clockOffsetMs,
    drift_ratio: drift,
    transport: { cut, unanswered },
    rate_limit_headers: [...rateLimitHeaders],
    lists: {
      conversations: conversations.facts,
      messages: messages.facts,
      attachments: attachments.facts,
      events: events.facts,
    },
    cross_check: crossCheck,
    records,
    errors: { ...errors, lacking: [...errors.lacking] },
    rows: describeRows(lists),
    files,
  };
}

function firstId(name: string, { rows }: SeenList): Record<string, string> {
  const id = rows[0]?.id;
  return id === undefined ? {} : { [name]: id };
}

/** Returns the id of a message: from the list of messages, else from another list that names one. */
function messageId(lists: readonly SeenList[]): { message?: string } {
  const named = lists.flatMap(({ pages, rows }) =>
    rows.map((row) => (pages.list === 'messages' ? row.id : (row['message_id'] ?? row['first_message_id']))),
  );
  const id = named.find((each) => typeof each === 'string' && each !== '');
  return typeof id === 'string' ? { message: id } : {};
}

const readHealth = createBodyReader(HEALTH, () => {});

/** The first request: where it gets no response at all, nothing else would. */
async function examineHealth(examiner: Examiner): Promise<ServiceReport['health']> {
  const response = await examiner.get(ROUTES.health.path, {}, { anonymous: true });
  const none = { service: null, version: null };
  if (response.status >= 300) return { state: response.status === 404 ? 'missing' : 'other', ...none };
  try {
    const { body } = parseResponseWith(response, (value) => readHealth(value, response));
    const text = (value: string | undefined): string | null =>
      value === undefined ? null : safeText(value, 60);
    return { state: 'present', service: text(body.service), version: text(body.version) };
  } catch (error) {
    if (error instanceof Fault) return { state: 'other', ...none };
    throw error;
  }
}

/** Asks for a list without the token, to learn whether the service needs one. */
async function examineAuth(examiner: Examiner, lists: readonly SeenList[]): Promise<ServiceFacts['auth']> {
  const states = lists.map(({ facts }) => facts.state);
  const read = lists.find(({ facts }) => facts.state === 'read' || facts.state === 'empty');
  const isRefused = states.includes('needs_token');
  if (!examiner.hasToken)
    return { accepted: 'unseen', needed: isRefused ? 'yes' : read === undefined ? 'unseen' : 'no' };
  const accepted = read === undefined ? (isRefused ? 'no' : 'unseen') : isRefused ? 'differs' : 'yes';
  const asked = read ?? lists.find(({ facts }) => facts.state === 'needs_token');
  if (asked === undefined) return { accepted, needed: 'unseen' };
  const needed = await settle<'yes' | 'no' | 'unseen'>(
    async () => {
      const seen = await asked.pages.read({ limit: 1 }, { anonymous: true });
      if (seen.kind === 'page') return 'no';
      return seen.status === 401 || seen.status === 403 ? 'yes' : 'unseen';
    },
    (each) => each === 'yes',
  );
  return { accepted, needed };
}

async function examineFilesOf(
  examiner: Examiner,
  { rows }: SeenList,
  openFiles: () => Promise<FileAccess>,
  world: World,
): Promise<ServiceReport['files']> {
  if (rows.length === 0) return NO_FILES;
  try {
    const access = await openFiles();
    const transport = examiner.counted(access.transport);
    return await examineFiles(rows, { ...access, transport }, { ...world, signal: examiner.signal });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    return { ...NO_FILES, reason: `the address of files is not known: ${error.message}` };
  }
}
