// What of an answer of the interface is written: the bytes as received, unless something in them must be covered.
import { decodeBody } from '../client/content-encoding.ts';
import { MAX_RESPONSE_BYTES } from '../contract/scalars.ts';
import { coveredLinks, coveredTokens } from './masked-urls.ts';
import type { Header } from './http-head.ts';
import type { Masks } from './masking.ts';

export type Answer = { headers: Header[]; body: Buffer; isCut: boolean };
/** `notes` say what is not as it came. */
export type Heard = { headers: Header[]; body: Buffer; notes: string[] };

/** `isToken`: it answers a request for a token (interface 4.1), and what it gives is a secret from now on. */
export async function heard(answer: Answer, masks: Masks, isToken: boolean): Promise<Heard> {
  const encoding = valueOf(answer.headers, 'content-encoding');
  if (encoding === undefined) return covered(answer, masks, isToken);
  // A token may be within what is compressed.
  const without = answer.headers.filter(([name]) => !/^content-(encoding|length)$/i.test(name));
  const plain = answer.isCut
    ? undefined
    : await decodeBody(answer.body, encoding, MAX_RESPONSE_BYTES).catch(() => undefined);
  if (plain === undefined) {
    const note = `body left out: its content-encoding ${encoding} cannot be read to the end, so nothing could be removed from it`;
    return { headers: without, body: Buffer.alloc(0), notes: [note] };
  }
  const decoded = covered({ ...answer, headers: without, body: Buffer.from(plain) }, masks, isToken);
  if (decoded.notes.length === 0) return covered(answer, masks, isToken);
  return { ...decoded, notes: [...decoded.notes, `content-encoding ${encoding} removed`] };
}

function covered({ headers, body, isCut }: Answer, masks: Masks, isToken: boolean): Heard {
  const text = body.toString('latin1');
  if (isToken) for (const token of tokensIn(body)) masks.add(token);
  const unlinked = coveredLinks(text);
  const untold = isToken ? coveredTokens(unlinked) : unlinked;
  const passing = masks.body();
  const bytes = Buffer.concat([passing.push(Buffer.from(untold, 'latin1')), passing.end(isCut)]);
  const notes = [
    ...(unlinked === text ? [] : ['addresses of files in the body covered']),
    ...(untold === unlinked && !passing.isMasked() ? [] : ['token in the body covered']),
  ];
  return { headers, body: bytes, notes };
}

function tokensIn(body: Buffer): string[] {
  try {
    const { access_token: token } = JSON.parse(body.toString()) as { access_token?: unknown };
    return typeof token === 'string' ? [token] : [];
  } catch {
    return [];
  }
}

export function valueOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}
