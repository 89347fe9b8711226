// Finds bytes that must not be sent in an answer, whatever encoding they have.
import { isUtf8 } from 'node:buffer';
import type { ServiceResponse } from '../../src/contract/exchange.ts';

/** The whole body of a response. */
export async function bytesIn(body: ServiceResponse['body']): Promise<Buffer> {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A piece of a payload that is nowhere in what is allowed, as it would look: as it is, in hex, in base64 at any offset. */
export function codingsOf(payload: Buffer, allowed: string): string[] {
  const isTelling = (at: number) => {
    const inner = unbroken(payload.subarray(at + 2, at + 15).toString('latin1'));
    return inner.length === 13 && !allowed.includes(inner);
  };
  let at = 0;
  while (at + 17 < payload.length && !isTelling(at)) at += 1;
  // Put together from harmless pieces, it tells only as a whole.
  if (at + 17 >= payload.length)
    return [payload.toString('latin1'), payload.toString('base64')].map(unbroken);
  const piece = payload.subarray(at, at + 16);
  const base64 = [0, 1, 2].map((offset) =>
    payload.subarray(at + offset, at + offset + 15).toString('base64'),
  );
  const text = isUtf8(piece) ? [piece.toString()] : [];
  return [piece.toString('latin1'), ...text, piece.toString('hex'), ...base64].map(unbroken);
}

/** Whether a text holds one of these, also where it is base64 of base64. */
export function holds(text: string, codings: readonly string[], depth = 0): boolean {
  const plain = unbroken(text);
  if (codings.some((coding) => plain.includes(coding))) return true;
  if (depth > 1) return false;
  return [...plain.matchAll(/[A-Za-z0-9+/]{64,}={0,2}/g)].some(([coded]) =>
    holds(Buffer.from(coded, 'base64').toString('latin1'), codings, depth + 1),
  );
}

/** Without line breaks, written as such or escaped in JSON, and without other escapes of JSON. */
export function unbroken(text: string): string {
  return text.replaceAll(/\\[rn]|[\r\n]/g, '').replaceAll(/\\(["\\/])/g, '$1');
}
