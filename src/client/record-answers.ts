// Reads the answers that are no list: one record, a message, a token, and what became of sent events. Loaded with the first of them.
import type * as z from 'zod';
import type { Acknowledgement } from '../contract/event.ts';
import { BatchAcknowledgement, type IngestRequest } from '../contract/ingest.ts';
import { lazy } from '../lazy.ts';
import type { World } from '../world.ts';
import { acknowledged, checkEcho, contradictionOf, duplicateOf, parseBatch } from './acknowledgement.ts';
import type { Query } from './base-url.ts';
import { parseContent } from './content-body.ts';
import { signing } from './event-signature.ts';
import { dropNotices, type Messages } from './record-list.ts';
import { parseResponseWith, type ApiResponse, type Reply } from './response.ts';
import { LORE, RAW } from './shapes/content-kinds.ts';
import { createBodyReader, type BodyKind, type ReadBody } from './shapes/record-body.ts';
import { acknowledgementKind, ATTACHMENT, CONVERSATION, HEALTH } from './shapes/record-kinds.ts';
import { parseTokenResponse } from './token-response.ts';

/** What the readers of these answers need. `webhookSecrets`: keys that sign events. */
type ReaderOptions = Messages & {
  webhookSecrets?: readonly Uint8Array[];
  world: Pick<World, 'now'>;
};

/** Returns the readers of these answers. */
export function createAnswerReaders(options: ReaderOptions) {
  const now = () => options.world.now();
  const readerOf = <Fields extends z.ZodRawShape>(kind: BodyKind<Fields>) =>
    createBodyReader(kind, dropNotices(kind.name, options, ''));
  const records = {
    attachment: lazy(() => readerOf(ATTACHMENT)),
    conversation: lazy(() => readerOf(CONVERSATION)),
    health: lazy(() => readerOf(HEALTH)),
    acknowledgement: lazy(() => readerOf(acknowledgementKind())),
  };
  const contentReaders = lazy(() => ({ lore: readerOf(LORE), raw: readerOf(RAW) }));

  return {
    attachment: (id: string) => parserOf(records.attachment(), id),
    conversation: (id: string) => parserOf(records.conversation(), id),
    health: () => parserOf(records.health()),
    content: (id: string, query: Query | undefined) => (answer: ApiResponse) =>
      parseContent(answer, contentReaders(), id, query),
    token: (answer: ApiResponse) => parseTokenResponse(answer, now(), options),
    /** How a call with events proves who sends them. */
    signed: (id: string) => signing(id, options.webhookSecrets, now),
    acknowledgement: (event: IngestRequest) => (answer: ApiResponse) => {
      const readBody = (sent: unknown): Acknowledgement => {
        const read = records.acknowledgement()(sent, answer);
        const acknowledgement = { ...read, type: read.type ?? event.type };
        checkEcho(acknowledgement, event);
        const contradiction = contradictionOf(event, sent, answer.status);
        if (contradiction !== undefined) throw contradiction;
        return acknowledgement;
      };
      return acknowledged(event.id, answer, () => parseResponseWith(answer, readBody));
    },
    batch:
      (id: string, events: readonly { event: IngestRequest }[]) =>
      (answer: ApiResponse, redact: (text: string) => string) =>
        parseBatch(answer, id, events, BatchAcknowledgement, redact),
    duplicateOf,
  };
}

/** Returns the parser of one record. `id` is the id that is asked for. */
function parserOf<T>(readBody: ReadBody<T>, id?: string): (answer: ApiResponse) => Reply<T> {
  return (answer) => parseResponseWith(answer, (body) => readBody(body, answer, id));
}
