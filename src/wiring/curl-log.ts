// `-vv`: logs each request as a curl command that can be pasted into a shell, with $ARX_TOKEN in place of the token.
import { redactSecrets } from '../client/safe-text.ts';
import { shownTarget } from '../client/shown-target.ts';
import type { Transport, TransportRequest } from '../client/transport.ts';
import { OWNER_SECRET_HEADER } from '../contract/routes.ts';
import { shellWord } from '../shell-words.ts';

/** Longer bodies are read from standard input by the command that is shown. */
const MAX_SHOWN_BODY_LENGTH = 4000;

/** Returns the transport, which logs each request before it is sent. `secrets` are never shown. */
export function withCurlLog(
  transport: Transport,
  secrets: () => Promise<readonly string[]>,
  log: (line: string) => void,
): Transport {
  let known: Promise<readonly string[]> | undefined;
  return async (request) => {
    known ??= secrets();
    const bearer = /^Bearer (.*)$/.exec(request.headers['authorization'] ?? '')?.[1];
    log(curlLine(request, bearer === undefined ? await known : [bearer, ...(await known)]));
    return transport(request);
  };
}

/** Returns the curl command of a request. The body is JSON text, shown in ASCII. */
export function curlLine(
  { method, url, headers, body }: Omit<TransportRequest, 'signal'>,
  secrets: readonly string[],
): string {
  const hidden = (text: string): string => redactSecrets(text, secrets);
  const target = shownTarget(url, secrets);
  const fields = Object.entries(headers).flatMap(([name, value]) => {
    // Who has the secret of the owner may log in at the internal tier.
    if (name === OWNER_SECRET_HEADER) return [];
    if (name === 'authorization') return ['-H "Authorization: Bearer $ARX_TOKEN"'];
    if (name === 'accept-encoding') return value === 'identity' ? [] : ['--compressed'];
    return [`-H ${shellWord(`${name}: ${hidden(value)}`)}`];
  });
  const curl = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    ...fields,
    shellWord(url.origin + target),
  ].join(' ');
  if (body === undefined) return curl;
  const text = hidden(asciiJson(Buffer.from(body).toString()));
  if (text.length > MAX_SHOWN_BODY_LENGTH)
    return `${curl} --data-binary @- # ${text.length} bytes from standard input`;
  if (!text.includes('\n')) return `${curl} --data-binary ${shellWord(text)}`;
  const lines = text.split('\n').filter((line) => line !== '');
  return `printf '%s\\n' ${lines.map(shellWord).join(' ')} | ${curl} --data-binary @-`;
}

/** Returns JSON text with escapes in place of characters that a terminal might not show. */
function asciiJson(json: string): string {
  return json.replaceAll(
    /[^\n\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
