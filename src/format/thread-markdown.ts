// A thread as Markdown: a heading for each message, its text in code blocks, which no text of the archive can leave.
import type { ReadMessage, ReadPart } from '../contract/reports/reading.ts';
import { formatBytes, formatLocal } from './numbers.ts';
import { escapeBlock, escapeText } from './terminal/escape.ts';
import type { ThreadHead, ThreadStyle } from './thread.ts';

/** Returns the beginning of the document. */
export function markdownHead({ title, facts, doubts }: ThreadHead): string {
  const lines = [`# ${inline(title)}`, '', ...facts.map((fact) => `- ${inline(fact)}`)];
  return [...lines, ...notes(doubts), ''].join('\n');
}

/** Returns one message. */
export function markdownMessage(message: ReadMessage, number: number, style: ThreadStyle): string {
  const { id, problem, parent_id: parent } = message;
  const lines = ['', `## ${number}. ${inline(message.subject ?? 'no subject')}`, ''];
  const field = (name: string, value: string | null | undefined): void => {
    if (value != null && value !== '') lines.push(`- ${name}: ${inline(value)}`);
  };
  field('Message', parent === null ? id : `${id}, answers ${parent}`);
  field('From', message.from);
  field('To', message.to);
  field('Cc', message.cc);
  field('Channel', message.channel);
  field('Date', message.date === null ? null : formatLocal(message.date, style.timeZone));
  const doubts = message.warnings.map(({ about, text }) => `${about}: ${text}`);
  if (problem !== undefined) doubts.unshift(`withheld or unreadable: ${problem.message} [${problem.class}]`);
  const isEmpty = message.parts.length === 0 && problem === undefined;
  const parts = isEmpty
    ? ['', '*no text and no files*']
    : message.parts.flatMap((part) => ['', ...partLines(part, style)]);
  return `${[...lines, ...notes(doubts), ...parts].join('\n')}\n`;
}

function partLines(part: ReadPart, style: ThreadStyle): string[] {
  const forwarded = (part.forwarded ?? []).flatMap((heading) => [
    'Forwarded message',
    ...heading.map(([name, value]) => `- ${inline(name)}: ${inline(value)}`),
    '',
  ]);
  const before = [...forwarded, ...notes(part.warnings ?? [])];
  if (part.kind === 'alternative')
    return [...before, `*another form of this text: ${inline(part.type ?? 'unknown type')}*`];
  if (part.kind === 'text')
    return [
      ...before,
      ...codeBlock(part.text ?? ''),
      ...(part.links ?? []).map((link, index) => `- \\[${index + 1}\\] ${inline(link)}`),
    ];
  const name = inline(part.filename ?? 'without a name');
  const link = style.linkOf(part);
  const facts = [part.id, part.type, part.bytes === undefined ? undefined : formatBytes(part.bytes)]
    .filter((fact) => fact != null)
    .map((fact) => inline(fact));
  const hash = part.sha256 === undefined ? '' : `, sha256 ${inline(part.sha256)}`;
  const reason = part.reason == null ? '' : ` (${inline(part.reason)})`;
  const place = part.in_place === false ? '; its place in the message is not known' : '';
  const shown = link === undefined ? name : `[${name}](${link})`;
  return [
    ...before,
    `- File ${shown}: ${facts.join(', ')}, **${part.state ?? 'unlisted'}**${reason}${hash}${place}`,
  ];
}

function notes(texts: readonly string[]): string[] {
  return texts.flatMap((text) => ['', `> **Note:** ${inline(text)}`]);
}

/** The fence is longer than any run of backticks in the text. */
function codeBlock(text: string): string[] {
  const shown = escapeBlock(text.trimEnd());
  let longest = 2;
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, shown, fence];
}

/** Returns text in one line that Markdown and HTML show as it is. It never begins a line. An address is no link. */
function inline(text: string): string {
  return escapeText(text).replaceAll(/[\\`*_{}[\]<>()#|~&!$]|:(?=\/\/)/g, '\\$&');
}
