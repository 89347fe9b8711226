// Reads the answer to a request for a token.
import type { ReceivedToken } from '../contract/access-token.ts';
import { Fault } from '../faults.ts';
import { TOKEN_FROM_ELSEWHERE } from './error-response.ts';
import { dropNotices, type Messages } from './record-list.ts';
import { parseHttpDate, parseResponseWith, type ApiResponse, type Reply } from './response.ts';
import { createBodyReader } from './shapes/record-body.ts';
import { tokenKind } from './shapes/record-kinds.ts';

/** Returns the token. `now` by our clock. Throws Fault 'protocol' for one that cannot be read or has expired; nothing of the answer is quoted. */
export function parseTokenResponse(
  answer: ApiResponse,
  now: number,
  messages: Messages,
): Reply<ReceivedToken> {
  return withTokenHint(() => {
    const kind = tokenKind(parseHttpDate(answer.headers['date']) ?? now);
    const reader = createBodyReader(kind, dropNotices(kind.name, messages, ''));
    const readBody = (body: unknown): ReceivedToken => reader(body, answer);
    return checkedExpiry(parseResponseWith(answer, readBody, { isSecret: true }), now);
  });
}

/** Says how a token can be given that cannot be read from the answer of the service. */
function withTokenHint<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // Where the service says an error, it gave no token.
    if (error instanceof Fault && error.kind === 'protocol' && error.detail.code === undefined)
      error.detail.hint ??= TOKEN_FROM_ELSEWHERE;
    throw error;
  }
}

/** Throws for a token that has expired by both clocks, the service's and ours. One clock alone may be wrong. */
function checkedExpiry(reply: Reply<ReceivedToken>, now: number): Reply<ReceivedToken> {
  const { expires_at } = reply.body;
  if (expires_at !== undefined && Date.parse(expires_at) <= Math.min(now, reply.serverTime ?? now)) {
    throw new Fault('protocol', `the service gave a token that expired at ${expires_at}`);
  }
  return reply;
}
