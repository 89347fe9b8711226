// A request body as JSON: the type it must declare, the size it may have, and no words of the parser in a refusal.
import type { ErrorCode } from '../../contract/error.ts';
import type { ServiceRequest } from '../../contract/exchange.ts';
import { MOST_REQUEST_BYTES } from '../../contract/quantity.ts';
import { Refusal } from '../refusal.ts';

/**
 * The parsed body. Throws `media_type_unsupported` for anything but plain `application/json` in UTF-8,
 * `payload_too_large` over {@link MOST_REQUEST_BYTES}, and the code given for what is not JSON.
 */
export function readJson({ headers, body }: ServiceRequest, invalid: ErrorCode): unknown {
  const all = (name: string) => headers.filter(([key]) => key === name).map(([, value]) => value);
  if (all('content-encoding').some((value) => value.trim().toLowerCase() !== 'identity')) {
    throw new Refusal('media_type_unsupported', 'content-encoding: a body must be sent as it is');
  }
  const types = all('content-type');
  if (types.length !== 1 || !isJson(types[0]!)) {
    throw new Refusal('media_type_unsupported', 'content-type: must be application/json in utf-8');
  }
  if (body !== null && body.byteLength > MOST_REQUEST_BYTES) {
    throw tooLarge();
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body ?? new Uint8Array()));
  } catch {
    throw new Refusal(invalid, '$: the body is not JSON');
  }
}

export function tooLarge(): Refusal {
  return new Refusal('payload_too_large', `a body may have at most ${MOST_REQUEST_BYTES} bytes`);
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((part) => part.startsWith('charset='));
  return type === 'application/json' && charsets.every((part) => /^charset="?utf-?8"?$/.test(part));
}
