// The client of an archive service: one method for each route; responses are checked by the contract, failures are Faults.
import type { Attachment } from '../contract/attachment.ts';
import type { Content } from '../contract/content.ts';
import type { Conversation, Message } from '../contract/conversation.ts';
import type { Acknowledgement, Envelope } from '../contract/event.ts';
import type { IngestRequest } from '../contract/ingest.ts';
import type { Health } from '../contract/health.ts';
import { OWNER_SECRET_HEADER, pathOf, ROUTES, type RouteName } from '../contract/routes.ts';
import type { SearchPage } from '../contract/search/search.ts';
import type { Position } from '../contract/sequence.ts';
import type { ReceivedToken, TokenRequest } from '../contract/access-token.ts';
import { Fault, type Hint } from '../faults.ts';
import { lazy } from '../lazy.ts';
import type { ForeignContent } from './content-body.ts';
import { parseResponse, parseResponseWith, rawReply, type ApiResponse, type Reply } from './response.ts';
import { parseBaseUrl, typedUrlWithin, urlWithin, type Query } from './base-url.ts';
import type { ListPage, ListParser } from './list-parser.ts';
import type { RowChanges } from './remembered-rows.ts';
import { createRecordListParser, createSequenceParser, type SequenceRow } from './record-list.ts';
import { ATTACHMENTS, CONVERSATIONS, EVENTS, MESSAGES, POSITIONS } from './shapes/list-kinds.ts';
import type { ListGuess } from './shapes/list-guess.ts';
import { StatusContradictions } from './status-contradiction.ts';
import { createSender, type ApiCall, type SenderOptions } from './api-call.ts';
import { otherPathHint } from './wrong-base-url.ts';

export type { ForeignContent } from './content-body.ts';
export type { Reply } from './response.ts';
export type { Query } from './base-url.ts';

/** Options of a client. */
export type ClientOptions = SenderOptions & {
  baseUrl: string;
  /** Writes one line for people, where fields of a service were left out. */
  notice?: (line: string) => void;
  /** False for an archive that never contradicts itself, as that of this process: no row of its lists is remembered. */
  remembers?: boolean;
  /** Allow plain http to other machines than this one. */
  insecureHttp?: boolean;
  /** Sent with a request for a token: shows our own service on this machine that its user asks. */
  ownerSecret?: string;
  /** Keys that sign events (contract/signature.ts). With a signature, events need no token. */
  webhookSecrets?: readonly Uint8Array[];
};

/** The lists that a client reads. `entries` are those of a sequence. */
export type ListName = 'attachments' | 'conversations' | 'messages' | 'events' | 'entries';

/**
 * One method for each route. Every method throws Faults: `auth`, `forbidden`, `not_found`, `conflict`, `busy` after all
 * tries, `usage` where the service refuses an argument, `network` and `protocol`; and the reason of an aborted run.
 */
export type Client = {
  readonly baseUrl: URL;
  token(request: TokenRequest): Promise<Reply<ReceivedToken>>;
  attachments(query?: Query): Promise<Reply<ListPage<Attachment>>>;
  attachment(id: string): Promise<Reply<Attachment>>;
  content(id: string, query?: Query): Promise<Reply<Content | ForeignContent>>;
  sequence(name: string, query?: Query): Promise<Reply<ListPage<SequenceRow<Position>>>>;
  health(): Promise<Reply<Health>>;
  /**
   * Sends an event, as `text` where it is given. Throws Fault 'unconfirmed' too: the event may have been accepted, but no
   * acknowledgement of it came; and 'forbidden' where the acknowledgement says that it was not accepted.
   */
  ingest(event: IngestRequest, text?: string): Promise<Reply<Acknowledgement>>;
  /**
   * Sends many events in one request, for a service whose health names `ingest_batch`. Returns for each event its
   * acknowledgement, or the Fault why it was refused. Throws as {@link Client.ingest} where the request failed as a whole.
   */
  ingestBatch(
    events: readonly { event: IngestRequest; text: string }[],
  ): Promise<(Acknowledgement | Fault)[]>;
  events(query?: Query): Promise<Reply<ListPage<Envelope>>>;
  conversations(query?: Query): Promise<Reply<ListPage<Conversation>>>;
  conversation(id: string): Promise<Reply<Conversation>>;
  messages(query?: Query): Promise<Reply<ListPage<Message>>>;
  /** Returns messages that match a query. Other services than ours have no such route: `not_found`. */
  search(query: Query): Promise<Reply<SearchPage>>;
  /** Returns where the service keeps the rows of a list; undefined before a page with rows was read. */
  guessOf(list: ListName): ListGuess | undefined;
  /** Returns the rows of a list about which answers differed. */
  changesOf(list: ListName): RowChanges;
  /** Returns how a page of a list contradicted itself about withheld rows; undefined where none did. */
  contradictionOf(list: ListName): string | undefined;
  /** Sends a GET for any path below the base URL. Returns the body unchecked. */
  get(path: string): Promise<Reply<Uint8Array>>;
};

/** Returns a client of the service at `baseUrl`. Throws Fault 'usage' for an address that is not allowed. */
export function createClient(options: ClientOptions): Client {
  const base = parseBaseUrl(options.baseUrl, options);
  const send = createSender(options);
  const contradictions = new StatusContradictions();
  /** A list was answered below the base URL. */
  let isBaseUrlConfirmed = false;
  let messagesRoute: 'messages' | 'messages_v1' | undefined;
  const lists = {
    attachments: lazy(() => createRecordListParser(ATTACHMENTS, options)),
    conversations: lazy(() => createRecordListParser(CONVERSATIONS, options)),
    messages: lazy(() => createRecordListParser(MESSAGES, options)),
    events: lazy(() => createRecordListParser(EVENTS, options)),
    entries: lazy(() => createSequenceParser(POSITIONS, options)),
  };
  const answers = lazy(async () => {
    const { createAnswerReaders } = await import('./record-answers.ts');
    return createAnswerReaders(options);
  });

  async function read<T>(
    name: RouteName,
    parse: (answer: ApiResponse) => T,
    parameters: Record<string, string> = {},
    query: Query = {},
  ): Promise<T> {
    const url = urlWithin(base, pathOf(name, checkedParameters(parameters)), query);
    try {
      const parsed = await send({ method: 'GET', url, withToken: ROUTES[name].scope !== null }, parse);
      if (name === 'attachments' || name === 'conversations' || name === 'messages')
        isBaseUrlConfirmed = true;
      return parsed;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { isPathMissing, isFromOurService } = error.detail;
      // Without a cursor, nothing but the list itself can be missing.
      const hasCursor = ['starting_after', 'ending_before'].some((each) => query[each] !== undefined);
      const isListMissing =
        (name === 'attachments' || name === 'conversations') && error.kind === 'not_found' && !hasCursor;
      const isMissing = isPathMissing === true || (isListMissing && isFromOurService !== true);
      throw isMissing ? await missingPathFault(error, name) : error;
    }
  }

  /** Returns a page whose status was compared with its rows. */
  function compared<Row extends object>(
    list: 'attachments' | 'conversations' | 'messages',
    reply: Reply<ListPage<Row>>,
  ): Reply<ListPage<Row>> {
    return contradictions.compare(list, reply, lists[list]().guess()?.rows === '');
  }

  /**
   * Returns the Fault of a path that the service may lack, or the base URL may be wrong. The lists that every archive service has are asked
   * for, once: where one is there, no other base URL is proposed; where each is a web page as well, this is another server.
   */
  async function missingPathFault(fault: Fault, name: RouteName): Promise<Fault> {
    const isPage = fault.detail.isMissingPage === true;
    const others: Fault[] = [];
    for (const list of ['attachments', 'conversations'] as const) {
      if (isBaseUrlConfirmed) break;
      if (list === name) continue;
      const other = await otherLists[list]();
      if (other === undefined) isBaseUrlConfirmed = true;
      else others.push(other);
    }
    if (isBaseUrlConfirmed) {
      const hint: Hint = ({ arx }) => `${arx} doctor tells what this service has`;
      const message = fault.kind === 'not_found' ? fault.message : `the service has no ${ROUTES[name].path}`;
      return new Fault('not_found', message, { ...fault.detail, hint });
    }
    const isOtherServer =
      isPage &&
      fault.kind === 'not_found' &&
      others.every(({ kind, detail }) => kind === 'protocol' && detail.isMissingPage === true);
    if (isOtherServer) return others.at(-1) ?? fault;
    if (fault.detail.hint !== undefined) return fault;
    return new Fault(fault.kind, fault.message, { ...fault.detail, hint: otherPathHint(ROUTES[name].path) });
  }
  const faultOfList = (name: 'attachments' | 'conversations') =>
    lazy(async (): Promise<Fault | undefined> => {
      const url = urlWithin(base, ROUTES[name].path, { limit: 1 });
      try {
        await send({ method: 'GET', url, withToken: true }, (answer) =>
          parseResponseWith(answer, () => undefined),
        );
        return undefined;
      } catch (error) {
        if (error instanceof Fault && error.kind !== 'interrupted') return error;
        throw error;
      }
    });
  const otherLists = { attachments: faultOfList('attachments'), conversations: faultOfList('conversations') };

  return {
    baseUrl: base,
    token: async (request) => {
      const { token } = await answers();
      const url = urlWithin(base, ROUTES.token.path);
      const { ownerSecret: secret } = options;
      const sign = secret === undefined ? {} : { sign: () => ({ [OWNER_SECRET_HEADER]: secret }) };
      return send({ method: 'POST', url, withToken: false, body: request, ...sign }, token);
    },
    attachments: async (query) =>
      compared('attachments', await read('attachments', page(lists.attachments(), query), {}, query)),
    attachment: async (id) => read('attachment', (await answers()).attachment(id), { id }),
    content: async (id, query) => read('content', (await answers()).content(id, query), { id }, query),
    sequence: async (name, query) => read('sequence', page(lists.entries(), query), { name }, query),
    health: async () => read('health', (await answers()).health()),
    ingest: async (event, text) => {
      const { acknowledgement, duplicateOf, signed } = await answers();
      const url = urlWithin(base, ROUTES.ingest.path);
      const body = text === undefined ? { body: event } : { body: event, text };
      const call: ApiCall = { method: 'POST', url, ...body, id: event.id, ...signed(event.id) };
      return send(call, acknowledgement(event)).catch((error: unknown) => duplicateOf(event, error));
    },
    ingestBatch: async (events) => {
      const { batch, signed } = await answers();
      const url = urlWithin(base, ROUTES.ingest.path);
      const lines = events.map(({ text }) => text).join('\n');
      const id = `${events[0]?.event.id} and ${events.length - 1} more`;
      return send({ method: 'POST', url, lines, id, ...signed(id) }, batch(id, events));
    },
    events: (query) => read('events', page(lists.events(), query), {}, query),
    conversations: async (query) =>
      compared('conversations', await read('conversations', page(lists.conversations(), query), {}, query)),
    conversation: async (id) => read('conversation', (await answers()).conversation(id), { id }),
    messages: async (query) => {
      try {
        const reply = await read(messagesRoute ?? 'messages', page(lists.messages(), query), {}, query);
        messagesRoute ??= 'messages';
        return compared('messages', reply);
      } catch (error) {
        const missing = error instanceof Fault && error.kind === 'not_found';
        if (!missing || messagesRoute !== undefined) throw error;
        // The interface names /messages without a prefix (4.8); a service may have it only below /v1.
        const reply = await read('messages_v1', page(lists.messages(), query), {}, query).catch(() => {
          throw error;
        });
        messagesRoute = 'messages_v1';
        return compared('messages', reply);
      }
    },
    search: async (query) => {
      const { SearchPage } = await import('../contract/search/search.ts');
      return read('search', (answer) => parseResponse(answer, SearchPage), {}, query);
    },
    guessOf: (list) => lists[list]().guess(),
    changesOf: (list) => lists[list]().changes(),
    contradictionOf: (list) => contradictions.of(list),
    get: async (path) => {
      const url = typedUrlWithin(base, path);
      const asked = path.split('?')[0];
      const open = Object.values(ROUTES).some((route) => route.scope === null && route.path === asked);
      return send({ method: 'GET', url, withToken: !open }, rawReply);
    },
  };
}

/** Returns the parser of a page that is asked for with this query. */
function page<Row>(list: ListParser<Row>, query: Query = {}): (answer: ApiResponse) => Reply<ListPage<Row>> {
  const isBackward = query['ending_before'] !== undefined && query['starting_after'] === undefined;
  const after = query['starting_after'];
  return (answer) => list.parse(answer, isBackward, after === undefined ? undefined : String(after));
}

function checkedParameters(parameters: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(parameters)) {
    if (value === '' || /^\.{1,2}$/.test(value)) throw new Fault('usage', `"${value}" cannot be the ${name}`);
  }
  return parameters;
}
