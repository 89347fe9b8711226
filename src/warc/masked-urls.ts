// Masks what grants access in URLs: credentials in any URL, and the random parts of file URLs, which are permissions themselves.
import { asterisks } from './masking.ts';

/** A part of a path that may be a signature or a random name: it is long and has more than one kind of character. */
const LONG_RUN = /[\w~-]{20,}/g;
const CHARACTER_KINDS = [/[a-z]/, /[A-Z]/, /\d/];
/** In a query: a value that is too long to be guessed. A parameter name does not match. */
const LONG_VALUE = /[\w.~%+/:,;@-]{8,}(?![\w.~%+/:,;@-]*=)/g;
/** A parameter whose name says that its value is a credential. */
const CREDENTIAL =
  /([?&;][^=&]*(?:token|secret|passw|signature|credential|api_?key|\b(?:key|sig|auth))[^=&]*=)([^&#]+)/gi;
/** `"file_url": "http…"` as a member in JSON, not inside a JSON string. */
const FILE_URL = /((?<!\\)"[^"\\]*(?:url|uri|href|link|location)"\s*:\s*")(https?:(?:[^"\\]|\\.)*)/gi;
/** A field with `token` in its name, in JSON or in a form. The value may be cut off. */
const TOKEN_FIELD = /(token"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|(?!null\b|true\b|false\b)[^\s",;&{}[\]]+)/gi;

/** Returns the URL of a file with random-looking parts of its path and all long values of its query masked. */
export function maskFileUrl(url: string): string {
  const [, origin = '', path = '', query = ''] =
    /^(https?:\\?\/\\?\/[^/\\?#]*)?([^?#]*)(.*)$/is.exec(url) ?? [];
  const isRandom = (run: string): boolean => CHARACTER_KINDS.filter((kind) => kind.test(run)).length > 1;
  return (
    origin +
    path.replace(LONG_RUN, (run) => (isRandom(run) ? asterisks(run) : run)) +
    query.replace(LONG_VALUE, asterisks)
  );
}

/** Returns any other URL with its user information and its credential parameters masked. */
export function maskUrl(url: string): string {
  return url
    .replace(
      /^([a-z][a-z\d+.-]*:\/\/)([^/?#@]*)@/i,
      (_, scheme: string, user: string) => `${scheme}${asterisks(user)}@`,
    )
    .replace(CREDENTIAL, (_, name: string, value: string) => name + asterisks(value));
}

/** Returns JSON text with the URLs of files in it masked like {@link maskFileUrl}. */
export function maskFileUrlsInJson(json: string): string {
  return json.replace(FILE_URL, (_, name: string, url: string) => name + maskFileUrl(url));
}

/** Returns a token response (interface 4.1) with the values of all token fields masked. The body may be cut off. */
export function maskTokenFields(body: string): string {
  return body.replace(TOKEN_FIELD, (_, name: string, value: string) => {
    const [, open = '', text = '', close = ''] = /^("?)(.*?)("?)$/s.exec(value) ?? [];
    return name + open + asterisks(text) + close;
  });
}
