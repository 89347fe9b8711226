// What the header of a MIME part says about the part: its disposition, file name and type parameters.
import { valueBeforeParameters, type Header } from './header.ts';
import { rememberResults } from './remember-results.ts';

/** Returns whether a part declares itself an attachment (`Content-Disposition: attachment`, RFC 2183 2.2). */
export function hasAttachmentDisposition({ fields }: Header): boolean {
  return valueBeforeParameters(fields.get('content-disposition') ?? '').toLowerCase() === 'attachment';
}

/** Returns whether one of the two fields that can hold a file name does (RFC 2183 2.3, RFC 2231). */
export function hasFilename({ fields }: Header): boolean {
  const parameter = /;\s*(?:file)?name(?:\*\d*)*\s*=/i;
  return ['content-disposition', 'content-type'].some((field) => parameter.test(fields.get(field) ?? ''));
}

const beginningOf = rememberResults((name) => new RegExp(`;\\s*${name}\\s*=`, 'i'));

/** Returns a parameter of the Content-Type without quotes; undefined when it is absent or empty. */
export function contentTypeParameter(header: Header, name: string): string | undefined {
  const declared = header.fields.get('content-type') ?? '';
  const found = beginningOf(name).exec(declared);
  if (found === null) return undefined;
  const rest = declared.slice(found.index + found[0].length).trimStart();
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest)?.[1]?.replaceAll(/\\(.)/g, '$1');
  return (quoted ?? rest.split(';', 1)[0] ?? '').trimEnd() || undefined;
}
