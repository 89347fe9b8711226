// The names of content types (RFC 6838 4.2).

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Returns a content type in lower case without its parameters; undefined where the text is none. */
export function mediaTypeOf(text: string): string | undefined {
  const type = text.split(';', 1)[0]!.trim().toLowerCase();
  return MEDIA_TYPE.test(type) ? type : undefined;
}
