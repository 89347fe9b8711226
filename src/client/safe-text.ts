// Makes text from a server safe to show in a message: no control characters, limited length, no part of the token.
import { Fault, type FaultDetail, hintText } from '../faults.ts';

/** Returns the text as one line of at most `maxCharacters`. Control and invisible characters become U+FFFD. */
export function safeText(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, maxCharacters * 4)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{C}/gu, '\u{fffd}')
    .trim();
  const characters = Array.from(line);
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters).join('')}…`;
}

/** Stands in messages in place of a token. */
const HIDDEN = '[token]';

/** Shortest run of characters that counts as a part of a token. */
const MIN_SECRET_RUN = 8;

/**
 * Replaces every part of the secret in a text with `[token]`. A server may echo what it was sent. A secret that is shorter than
 * a part is replaced where it stands by itself: its letters are in many words.
 */
export function redactSecret(text: string, secret: string): string {
  if (secret === '') return text;
  if (secret.length < MIN_SECRET_RUN) return redactWord(text, secret);
  const size = MIN_SECRET_RUN;
  let shown = '';
  let hiddenTo = 0;
  for (let at = 0; at + size <= text.length; at += 1) {
    if (!secret.includes(text.slice(at, at + size))) continue;
    if (at >= hiddenTo) shown += text.slice(hiddenTo, at) + HIDDEN;
    hiddenTo = at + size;
  }
  return shown + text.slice(hiddenTo);
}

/** As {@link redactSecret}, for several secrets. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(redactSecret, text);
}

function redactWord(text: string, secret: string): string {
  const word = secret.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`);
  // A text may be redacted twice, and the secret may be the word `token`.
  return text.replaceAll(
    new RegExp(String.raw`\[token\]|(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, 'g'),
    HIDDEN,
  );
}

/** Returns whether a response has a part of a secret in its headers or its body, also where JSON escapes its characters. */
export function holdsSecret(
  { headers, bytes }: { headers: Record<string, string>; bytes: Uint8Array },
  secrets: readonly string[],
): boolean {
  const body = Buffer.from(bytes).toString('latin1');
  // A message may show the body as it came: a part of a secret may begin within an escape.
  const unescaped = body.replaceAll(
    /\\u00([0-7][0-9a-f])|\\(.)/gi,
    (_, code: string | undefined, character: string) =>
      code === undefined ? character : String.fromCharCode(parseInt(code, 16)),
  );
  const text = [...Object.entries(headers).flat(), body, unescaped].join('\n');
  return redactSecrets(text, secrets) !== text;
}

/** Returns the fault without the secrets in any text that a server could have written. */
export function redactFault(fault: Fault, secrets: readonly string[]): Fault {
  const message = redactSecrets(fault.message, secrets);
  const shown: FaultDetail = { ...fault.detail };
  let isSame = message === fault.message;
  for (const name of ['code', 'request_id', 'hint'] as const) {
    const text = hintText(shown[name] ?? '');
    const redacted = redactSecrets(text, secrets);
    if (redacted === text) continue;
    shown[name] = redacted;
    isSame = false;
  }
  return isSame ? fault : new Fault(fault.kind, message, shown);
}
