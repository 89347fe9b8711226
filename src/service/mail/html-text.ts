// Turns HTML into plain text in one pass forward, so that the time is proportional to the size of any input.
import { decodeEntities } from './html-entities.ts';

/** The text of an HTML document. */
export type HtmlText = {
  /** Lines end with LF. Lines of a blockquote begin with `> `, once for each level. */
  text: string;
  /** The addresses that `[1]`, `[2]` … in the text stand for. Empty unless links were asked for. */
  links: string[];
};

/** Elements whose content is not shown as text. Their content ends at the end tag of the same name, whatever it holds. */
const HIDDEN = new Set(['script', 'style', 'title', 'template', 'iframe', 'noembed', 'noframes', 'object']);

/** Elements that begin and end a line. */
const LINES = new Set(
  `address article aside body caption center dd details dialog dir div dt fieldset figcaption figure footer form header
  hgroup html legend li main menu nav option optgroup section select summary tbody tfoot thead tr`.split(
    /\s+/,
  ),
);

/** Elements with an empty line before and after them. */
const PARAGRAPHS = new Set('blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul'.split(' '));

/** Deeper quotations are shown at this depth, so that the text is never much longer than the HTML. */
const MAX_QUOTE_DEPTH = 8;
/** Text of a link that is compared with its address. */
const MAX_LABEL_CHARACTERS = 2_000;

/**
 * Returns the visible text of HTML. `links`: each link to another document is marked with a number behind its text, unless
 * the text is the address itself. Accepts any text and never throws. Scripts, styles and comments are left out.
 */
export function htmlToText(html: string, { links: withLinks = false } = {}): HtmlText {
  const out = new TextBuilder();
  const links: string[] = [];
  let link: { address: string; label: string } | undefined;
  const write = (text: string): void => {
    if (link !== undefined && link.label.length < MAX_LABEL_CHARACTERS) link.label += text;
    out.write(text);
  };
  const endLink = (): void => {
    if (link === undefined) return;
    const { address, label } = link;
    link = undefined;
    if (!isSameAddress(label, address)) out.write(` [${links.push(address)}]`);
  };

  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      write(decodeEntities(html.slice(at)));
      break;
    }
    if (open > at) write(decodeEntities(html.slice(at, open)));
    const tag = readTag(html, open);
    if (tag === undefined) {
      write('<');
      at = open + 1;
      continue;
    }
    at = tag.end;
    const { name, isEnd } = tag;
    if (name === 'br') out.breakLine();
    else if (LINES.has(name)) out.beginLine();
    else if (PARAGRAPHS.has(name)) out.beginParagraph();
    switch (name) {
      case 'blockquote':
        out.quote(isEnd ? -1 : 1);
        break;
      case 'pre':
        out.keepBlanks(!isEnd);
        break;
      case 'li':
        if (!isEnd) out.write('* ');
        break;
      case 'td':
      case 'th':
        if (isEnd) out.write(' ');
        break;
      case 'img':
        if (!isEnd) write(decodeEntities(attributeOf(html, tag, 'alt') ?? ''));
        break;
      case 'a': {
        endLink();
        const address = isEnd || !withLinks ? undefined : attributeOf(html, tag, 'href');
        if (address !== undefined) link = linkTo(decodeEntities(address).trim());
        break;
      }
    }
    if (!isEnd && HIDDEN.has(name)) at = afterEndTag(html, at, name);
  }
  endLink();
  return { text: out.text(), links };
}

function linkTo(address: string): { address: string; label: string } | undefined {
  return /^(?:https?|ftp|mailto):/i.test(address) ? { address, label: '' } : undefined;
}

/** Returns whether the text of a link is its address, with or without the scheme. */
function isSameAddress(label: string, address: string): boolean {
  const bare = (text: string) =>
    text
      .trim()
      .replace(/^(?:https?:\/\/|ftp:\/\/|mailto:)/i, '')
      .replace(/\/$/, '');
  return bare(label) === bare(address);
}

/** `attributes`: the index after the name. `end`: the index after the tag. */
type Tag = { name: string; isEnd: boolean; attributes: number; end: number };

/**
 * Returns the tag, comment or declaration at a `<`, undefined where it is only a character. One that is not closed reaches to
 * the end of the text, as in browsers.
 */
function readTag(html: string, open: number): Tag | undefined {
  if (html.startsWith('<!--', open)) {
    const close = /^-?>/.exec(html.slice(open + 4, open + 6));
    const end = close === null ? html.indexOf('-->', open + 4) + 3 : open + 4 + close[0].length;
    return markup(end < 3 ? html.length : end);
  }
  const first = html[open + 1];
  if (first === '!' || first === '?') return markup(indexAfter(html, '>', open));
  const isEnd = first === '/';
  const start = isEnd ? open + 2 : open + 1;
  if (!isLetter(html.charCodeAt(start))) return isEnd ? markup(indexAfter(html, '>', open)) : undefined;
  let attributes = start;
  while (attributes < html.length && !isNameEnd(html.charCodeAt(attributes))) attributes += 1;
  // A name of many characters is none that matters here.
  const name = attributes - start > 20 ? '' : html.slice(start, attributes).toLowerCase();
  let end = attributes;
  let isValue = false;
  for (; end < html.length; end += 1) {
    const character = html[end]!;
    if (character === '>') return { name, isEnd, attributes, end: end + 1 };
    // A quotation mark begins a value only behind an equals sign.
    if (isValue && (character === '"' || character === "'")) end = indexAfter(html, character, end + 1) - 1;
    if (character === '=') isValue = true;
    else if (!isBlank(character)) isValue = false;
  }
  return { name, isEnd, attributes, end: html.length };
}

const markup = (end: number): Tag => ({ name: '', isEnd: true, attributes: end, end });

/** Returns the index after the next occurrence of a text, or the end. */
function indexAfter(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at + text.length;
}

function isLetter(code: number): boolean {
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

function isNameEnd(code: number): boolean {
  return code <= 0x20 || code === 0x2f || code === 0x3e;
}

function isBlank(character: string): boolean {
  return (
    character === ' ' || character === '\t' || character === '\n' || character === '\r' || character === '\f'
  );
}

/** Returns the value of an attribute of a tag, not decoded. */
function attributeOf(html: string, { attributes, end }: Tag, name: string): string | undefined {
  const text = html.slice(attributes, end);
  const pattern = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
  for (const [, found = '', ...values] of text.matchAll(pattern))
    if (found.toLowerCase() === name) return values.find((value) => value !== undefined) ?? '';
  return undefined;
}

/** Returns the index after the next end tag of this name, or the end. */
function afterEndTag(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    const end = at + 2 + name.length;
    if (html.slice(at + 2, end).toLowerCase() === name && isNameEnd(html.charCodeAt(end)))
      return indexAfter(html, '>', end);
  }
  return html.length;
}

/** Collects text, and reduces blanks and empty lines as a browser does. */
class TextBuilder {
  private readonly pieces: string[] = [];
  /** Line breaks that stand before the next text. */
  private breaks = 0;
  private isBlankDue = false;
  private isLineEmpty = true;
  private depth = 0;
  private isKept = false;

  write(text: string): void {
    if (this.isKept) {
      const [first = '', ...others] = text.replaceAll(/\r\n?/g, '\n').split('\n');
      this.append(first);
      for (const line of others) {
        this.breakLine();
        this.append(line);
      }
      return;
    }
    const words = text.replaceAll(/[ \t\n\f\r]+/g, ' ');
    const [body, isBefore, isAfter] = [words.trim(), words.startsWith(' '), words.endsWith(' ')];
    if (isBefore) this.isBlankDue = true;
    if (body === '') return;
    this.append(body);
    this.isBlankDue = isAfter;
  }

  breakLine(): void {
    this.breaks = Math.min(this.breaks + 1, 2);
    this.isLineEmpty = true;
    this.isBlankDue = false;
  }

  beginLine(): void {
    if (!this.isLineEmpty) this.breakLine();
  }

  beginParagraph(): void {
    this.beginLine();
    this.breaks = 2;
  }

  quote(by: 1 | -1): void {
    this.depth = Math.max(0, this.depth + by);
  }

  keepBlanks(isKept: boolean): void {
    this.isKept = isKept;
  }

  text(): string {
    return this.pieces.length === 0 ? '' : `${this.pieces.join('')}\n`;
  }

  private append(text: string): void {
    if (text === '') return;
    const isFirst = this.pieces.length === 0;
    if (this.isLineEmpty) {
      if (!isFirst) this.pieces.push('\n'.repeat(Math.max(1, this.breaks)));
      this.pieces.push('> '.repeat(Math.min(this.depth, MAX_QUOTE_DEPTH)));
    } else if (this.isBlankDue) this.pieces.push(' ');
    this.pieces.push(text);
    this.breaks = 0;
    this.isBlankDue = false;
    this.isLineEmpty = false;
  }
}
