// Masks what grants access in URLs: credentials in any URL, and the random parts of file URLs, which are permissions themselves.
import { asterisks } from './masking.ts';

/** A part of a path that may be a signature or a random name: it is long and has more than one kind of character. */
const LONG_RUN = /[\w~-]{20,}/g;
const CHARACTER_KINDS = [/[a-z]/, /[A-Z]/, /\d/];
/** In a query: a value, or a parameter name with its `=`. */
const NAME_OR_VALUE = /[\w.~%+/:,;@-]+=?/g;
/** A value that is too long to be guessed has at least this many characters. */
const MIN_LONG_VALUE = 8;
/** The name of a parameter, with what separates it from what stands before and after it. */
const PARAMETER_NAME = /[?&;][^=&]*=?/g;
/** A parameter whose name says that its value is a credential. */
const CREDENTIAL_NAME = /token|secret|passw|signature|credential|api_?key|jwt|\bpwd|\b(?:key|sig|auth)/i;
/** `"file_url": "http…"` as a member in JSON, not inside a JSON string. */
const FILE_URL = /((?<!\\)"[^"\\]*(?:url|uri|href|link|location)"\s*:\s*")(https?:(?:[^"\\]|\\.)*)/gi;
/** A field with `token` in its name, in JSON or in a form. The value may be cut off. */
const TOKEN_FIELD = /(token"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|(?!null\b|true\b|false\b)[^\s",;&{}[\]]+)/gi;

/** What stands before the last `@` of a host, in a URL, in one inside its query, and in one that begins with `//`; in JSON a slash can be `\\/`. */
const USER_INFORMATION = /(\/\/|\\\/\\\/)([^/\\?#\s"<>]+)@/g;

/** Returns the text with the user names and passwords of all URLs in it masked. */
export function maskUserInformation(text: string): string {
  return text.replace(USER_INFORMATION, (_, before: string, user: string) => `${before}${asterisks(user)}@`);
}

/** Returns the URL of a file with its user information, random-looking parts of its path and all long values of its query masked. */
export function maskFileUrl(url: string): string {
  const [origin = ''] = /^https?:\\?\/\\?\/[^/\\?#]*/i.exec(url) ?? [];
  const [path = ''] = url.slice(origin.length).split(/[?#]/, 1);
  const query = url.slice(origin.length + path.length);
  const isRandom = (run: string): boolean => CHARACTER_KINDS.filter((kind) => kind.test(run)).length > 1;
  return maskUserInformation(
    origin +
      path.replace(LONG_RUN, (run) => (isRandom(run) ? asterisks(run) : run)) +
      query.replace(NAME_OR_VALUE, (found) =>
        found.endsWith('=') || found.length < MIN_LONG_VALUE ? found : asterisks(found),
      ),
  );
}

/** Returns any other URL with its user information and its credential parameters masked. */
export function maskUrl(url: string): string {
  return maskCredentialParameters(maskUserInformation(url));
}

function maskCredentialParameters(url: string): string {
  let masked = '';
  for (const { 0: name, index } of url.matchAll(PARAMETER_NAME)) {
    const value = index + name.length;
    // What looks like a parameter inside a value that is masked belongs to it.
    if (index < masked.length || !name.endsWith('=') || !CREDENTIAL_NAME.test(name)) continue;
    const length = url.slice(value).split(/[&#]/, 1)[0]?.length ?? 0;
    masked += url.slice(masked.length, value) + '*'.repeat(length);
  }
  return masked + url.slice(masked.length);
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
