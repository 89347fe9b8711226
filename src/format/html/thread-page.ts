// A thread as an HTML page: one file without scripts; pictures are in it, other files are linked where they were saved.
import type { ReadMessage, ReadPart } from '../../contract/reports/reading.ts';
import { formatBytes, formatLocal } from '../numbers.ts';
import { textLines, type TextLine } from '../reading/quoted-lines.ts';
import { escapeBlock } from '../terminal/escape.ts';
import type { ThreadHead, ThreadStyle } from '../thread.ts';
import { html, type Markup } from './markup.ts';
import { badge, pageAround, facts } from './page.ts';

/** Messages stand this many steps to the right at most. */
const MAX_DEPTH = 8;
/** Characters of a piece of a page, beside the last. */
const MIN_PIECE_LENGTH = 65_536;

const STYLE = `
.mail { margin: .75rem 0 0; padding: .9rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.mail h2, .text { overflow-wrap: anywhere; }
.text { margin: .75rem 0; }
.text div { white-space: pre-wrap; }
.q1 { color: var(--calm); } .q2 { color: var(--good); } .q3 { color: var(--warn); } .faint { color: var(--soft); }
.note { color: var(--bad); overflow-wrap: anywhere; }
.file { overflow-wrap: anywhere; }
${Array.from({ length: MAX_DEPTH }, (_, at) => `.d${at + 1} { margin-left: ${at + 1}rem; }`).join(' ')}
.file img { display: block; max-width: 100%; max-height: 30rem; margin-top: .5rem; }
`;

/** Returns what stands before and behind the messages. */
export function threadFrame(
  { title, facts: lines, doubts }: ThreadHead,
  version: string,
): { before: string; behind: string } {
  return pageAround({
    title,
    style: STYLE,
    pictures: true,
    first: html`<header>
      <h1>${title}</h1>
      ${lines.map((line) => html`<p>${line}</p>`)}${doubts.map(note)}
    </header>`,
    last: html`<footer><p>Written by arx ${version}.</p></footer>`,
  });
}

/** Yields one message in pieces. */
export function* threadMessage(message: ReadMessage, number: number, style: ThreadStyle): Generator<string> {
  const { id, problem, parent_id: parent, date } = message;
  const fields: [string, string | null][] = [
    ['Message', parent === null ? id : `${id}, answers ${parent}`],
    ['From', message.from],
    ['To', message.to],
    ['Cc', message.cc],
    ['Channel', message.channel],
    ['Date', date === null ? null : formatLocal(date, style.timeZone)],
  ];
  const known = fields.flatMap(([name, value]): [string, string][] =>
    value === null || value === '' ? [] : [[name, value]],
  );
  const depth = Math.min(message.depth ?? 0, MAX_DEPTH);
  const doubts = message.warnings.map(({ about, text }) => `${about}: ${text}`);
  if (problem !== undefined) doubts.unshift(`withheld or unreadable: ${problem.message} [${problem.class}]`);
  const empty = message.parts.length === 0 && problem === undefined;
  const heading = html`<h2>${number}. ${message.subject ?? 'no subject'}</h2>
    ${facts(known)}${doubts.map(note)}`;
  yield `<article class="mail d${depth}">\n    ${heading.text}`;
  for (const part of message.parts) yield* partOf(part, style);
  if (empty) yield html`<p class="faint">no text and no files</p>`.text;
  yield '\n  </article>';
}

const note = (text: string): Markup => html`<p class="note">${text}</p>`;

function* partOf(part: ReadPart, style: ThreadStyle): Generator<string> {
  const forwarded = (part.forwarded ?? []).map(
    (heading) =>
      html`<p class="faint">Forwarded message</p>
        ${facts(heading)}`,
  );
  yield html`${forwarded}${(part.warnings ?? []).map(note)}`.text;
  if (part.kind === 'file') yield fileOf(part, style).text;
  else if (part.kind === 'alternative')
    yield html`<p class="faint">another form of this text: ${part.type ?? 'unknown type'}</p>`.text;
  else yield* textOf(part);
}

/** Yields the text of a part. Lines that look the same share one element, since a hostile mail has millions of lines. */
function* textOf({ text = '', links = [] }: ReadPart): Generator<string> {
  let piece = '<div class="text">';
  let openClass: string | undefined;
  for (const line of textLines(text)) {
    const name = classOf(line);
    if (name !== openClass) piece += `${openClass === undefined ? '' : '</div>'}<div class="${name}">`;
    openClass = name;
    piece += html`${escapeBlock(line.text)}`.text + '\n';
    if (piece.length < MIN_PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (openClass !== undefined) piece += '</div>';
  yield piece;
  for (const [index, link] of links.entries())
    yield html`<div class="faint">[${index + 1}] ${link}</div>`.text;
  yield '</div>';
}

function classOf({ depth, isSignature }: TextLine): string {
  return depth > 0 ? `q${((depth - 1) % 3) + 1}` : isSignature ? 'faint' : '';
}

function fileOf(part: ReadPart, style: ThreadStyle): Markup {
  const { id, filename, type, bytes, state = 'unlisted', reason, sha256 } = part;
  const name = filename ?? 'without a name';
  const link = style.linkOf(part);
  const about = [id, type, bytes === undefined ? undefined : formatBytes(bytes)].filter(
    (fact) => fact != null,
  );
  const picture = style.pictureOf(part);
  const tone = state === 'available' ? 'good' : state === 'unlisted' ? 'calm' : 'warn';
  const place = part.in_place === false ? '; its place in the message is not known' : '';
  const hash = sha256 === undefined ? undefined : html`<br /><code>sha256 ${sha256}</code>`;
  const shown = link === undefined ? name : html`<a href="${link}">${name}</a>`;
  return html`<p class="file">
    File ${shown} (${about.join(', ')})
    ${badge(state, tone)}${reason == null ? undefined : ` (${reason})`}${place}${hash}${picture === undefined ? undefined : html`<img alt="${name}" src="${picture}" />`}
  </p>`;
}
