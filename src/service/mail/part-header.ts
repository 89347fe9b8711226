// What the header of a MIME part says about the part: its disposition, file name and type parameters.
import { valueBeforeParameters, type Header } from './header.ts';

/** Returns whether a part declares itself an attachment (`Content-Disposition: attachment`, RFC 2183 2.2). */
export function hasAttachmentDisposition({ fields }: Header): boolean {
  return valueBeforeParameters(fields.get('content-disposition') ?? '').toLowerCase() === 'attachment';
}

/** Returns whether one of the two fields that can hold a file name does (RFC 2183 2.3, RFC 2231). */
export function hasFilename({ fields }: Header): boolean {
  return ['content-disposition', 'content-type'].some((field) =>
    parametersOf(fields.get(field) ?? '').some(({ name }) => /^(?:file)?name(?:\*|$)/.test(name)),
  );
}

/**
 * Returns a parameter of the Content-Type without quotes; undefined when it is absent or empty. Of several with one name the first
 * counts, and one in a single piece before one in numbered or encoded pieces (RFC 2231).
 */
export function contentTypeParameter(header: Header, name: string): string | undefined {
  const parameters = parametersOf(header.fields.get('content-type') ?? '');
  const whole = parameters.find((parameter) => parameter.name === name);
  if (whole !== undefined) return whole.value || undefined;
  const pieces = parameters.filter((parameter) => parameter.name.startsWith(`${name}*`));
  return pieces.map(decodedPiece).join('').trimEnd() || undefined;
}

type Parameter = { name: string; value: string };

/** Returns the parameters of a field, with names in lower case. */
function parametersOf(field: string): Parameter[] {
  const parameters = piecesOf(field).slice(1);
  return parameters.map((piece) => {
    const [name = ''] = piece.split('=', 1);
    const given = piece.slice(name.length + 1).trim();
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(given)?.[1]?.replaceAll(/\\(.)/g, '$1');
    return { name: name.trim().toLowerCase(), value: (quoted ?? given).trimEnd() };
  });
}

/** Splits a field at its semicolons. Those in quotes and in comments, which are left out, do not count, as for mail readers. */
function piecesOf(field: string): string[] {
  const [lastQuote, lastBracket] = [field.lastIndexOf('"'), field.lastIndexOf(')')];
  const pieces: string[] = [];
  let piece = '';
  let depth = 0;
  let isQuoted = false;
  let isValueNext = false;
  for (let at = 0; at < field.length; at += 1) {
    const character = field[at]!;
    if (character === '\\' && (isQuoted || depth > 0)) {
      if (isQuoted) piece += field.slice(at, at + 2);
      at += 1;
    } else if (depth > 0) {
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
    } else if (isQuoted) {
      piece += character;
      isQuoted = character !== '"';
    } else if (
      character === '(' &&
      at < lastBracket &&
      (pieces.length === 0 || ' \t='.includes(piece.at(-1) ?? ''))
    ) {
      // In a word without quotes, a bracket is a sign like others.
      depth = 1;
    } else if (character === ';') {
      pieces.push(piece);
      piece = '';
    } else {
      isQuoted = isValueNext && character === '"' && at < lastQuote;
      isValueNext = character === '=' || (isValueNext && (character === ' ' || character === '\t'));
      piece += character;
    }
  }
  return [...pieces, piece];
}

/** Returns the text of a numbered piece. In an encoded one, a charset and a language stand before the first. */
function decodedPiece({ name, value }: Parameter): string {
  if (!name.endsWith('*')) return value;
  const isFirst = !/\*[1-9]\d*\*$/.test(name);
  const text = isFirst ? value.split("'").slice(2).join("'") : value;
  return text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
