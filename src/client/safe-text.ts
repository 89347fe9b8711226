// Foreign text on its way into a message: no control characters, not long, and nothing of the token.
import { Fault, type FaultDetail } from '../faults.ts';

/** One line of at most `most` characters; what a terminal would act on becomes U+FFFD. */
export function safeText(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{C}/gu, '\u{fffd}')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most).join('')}…`;
}

/** So many characters of a token in a row count as a part of it. */
const MIN_SECRET_RUN = 8;

/** Hides every run of the text that is also a run of the secret: a server may echo what it was sent. */
export function redactSecret(text: string, secret: string): string {
  const size = Math.min(MIN_SECRET_RUN, secret.length);
  if (size === 0) return text;
  let shown = '';
  let hiddenTo = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at + size <= text.length && secret.includes(text.slice(at, at + size))) {
      if (at >= hiddenTo) shown += '***';
      hiddenTo = at + size;
    }
    if (at >= hiddenTo) shown += text[at] ?? '';
  }
  return shown;
}

/** The same fault with the token taken out of every text of it that a server could have written. */
export function redactFault(fault: Fault, secret: string | undefined): Fault {
  if (secret === undefined) return fault;
  const message = redactSecret(fault.message, secret);
  const shown: FaultDetail = { ...fault.detail };
  let isSame = message === fault.message;
  for (const name of ['code', 'request_id', 'hint'] as const) {
    const text = shown[name];
    if (text === undefined) continue;
    shown[name] = redactSecret(text, secret);
    isSame &&= shown[name] === text;
  }
  return isSame ? fault : new Fault(fault.kind, message, shown);
}
