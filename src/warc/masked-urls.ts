// Addresses without what grants access: file addresses that are themselves the permission, and parameters named for one.
import { stars } from './masking.ts';

/** Runs that may be a signature or a random name: long, and of more than one kind of character. */
const RUN = /[\w~-]{20,}/g;
const KINDS = [/[a-z]/, /[A-Z]/, /\d/];
/** Within a query: what is too long to be guessed, and no name of a parameter. */
const VALUE = /[\w.~%+/:,;@-]{8,}(?![\w.~%+/:,;@-]*=)/g;
/** Parameters by these names are credentials. */
const CREDENTIAL =
  /([?&;][^=&]*(?:token|secret|passw|signature|credential|api_?key|\b(?:key|sig|auth))[^=&]*=)([^&#]+)/gi;
/** `"file_url": "http…"` in JSON, not within a string of it. */
const LINK = /((?<!\\)"[^"\\]*(?:url|uri|href|link|location)"\s*:\s*")(https?:(?:[^"\\]|\\.)*)/gi;
/** A field named for a token, as JSON or a form has it; the value may be cut off. */
const TOKEN = /(token"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|(?!null\b|true\b|false\b)[^\s",;&{}[\]]+)/gi;

/** A file's address, same length: of its path what looks random is covered, of its query every value that is not short. */
export function coveredFile(address: string): string {
  const [, origin = '', path = '', query = ''] =
    /^(https?:\\?\/\\?\/[^/\\?#]*)?([^?#]*)(.*)$/is.exec(address) ?? [];
  const isRandom = (run: string): boolean => KINDS.filter((kind) => kind.test(run)).length > 1;
  return (
    origin + path.replace(RUN, (run) => (isRandom(run) ? stars(run) : run)) + query.replace(VALUE, stars)
  );
}

/** Any other address: only what is named as a credential, and what stands for a user. */
export function coveredAddress(address: string): string {
  return address
    .replace(
      /^([a-z][a-z\d+.-]*:\/\/)([^/?#@]*)@/i,
      (_, scheme: string, user: string) => `${scheme}${stars(user)}@`,
    )
    .replace(CREDENTIAL, (_, name: string, value: string) => name + stars(value));
}

/** JSON as received, its links to files covered like {@link coveredFile}. */
export function coveredLinks(json: string): string {
  return json.replace(LINK, (_, name: string, address: string) => name + coveredFile(address));
}

/** The answer of the token route (interface 4.1): whatever is called a token is covered, also of an answer that was cut. */
export function coveredTokens(body: string): string {
  return body.replace(TOKEN, (_, name: string, value: string) => {
    const [, open = '', text = '', close = ''] = /^("?)(.*?)("?)$/s.exec(value) ?? [];
    return name + open + stars(text) + close;
  });
}
