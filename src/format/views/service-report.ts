// How the report of `arx doctor` about a service is shown: one line for each finding, with its meaning below.
import type { ServiceFinding, ServiceReport } from '../../contract/reports/service.ts';
import { plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { escapeText, textWidth } from '../terminal/escape.ts';
import type { Line, Style } from '../terminal/styled-line.ts';
import type { View } from './view.ts';

const STYLES: Record<ServiceFinding['verdict'], Style> = {
  ok: 'good',
  warn: 'warn',
  differs: 'warn',
  unseen: 'dim',
  fail: 'bad',
};

/** A finding about a service, as a row. */
export const serviceFindingView: View<ServiceFinding> = {
  columns: [
    { name: 'verdict', of: ({ verdict }) => verdict },
    { name: 'about', of: ({ about }) => about },
    { name: 'check', of: ({ check }) => check },
    { name: 'found', of: ({ found }) => found },
    { name: 'meaning', of: ({ meaning }) => meaning },
  ],
};

/** Widest line where the screen has no width, and narrowest text. */
const DEFAULT_COLUMNS = 100;
const MIN_TEXT_COLUMNS = 24;

/** Returns the findings in columns. What a finding means stands below it. */
export function serviceReportLines(report: ServiceReport, canvas: Canvas): Line[] {
  const { findings } = report;
  const checkWidth = Math.max(0, ...findings.map(({ check }) => textWidth(check)));
  const verdictWidth = Math.max(0, ...findings.map(({ verdict }) => verdict.length));
  const indent = verdictWidth + checkWidth + 6;
  const room = Math.max(MIN_TEXT_COLUMNS, (canvas.columns ?? DEFAULT_COLUMNS) - indent);
  const arrow = canvas.unicode ? '→ ' : '-> ';
  const lines = findings.flatMap(({ about, check, verdict, found, meaning }, at): Line[] => {
    const isFirst = findings[at - 1]?.about !== about;
    const [first = '', ...rest] = wrapWords(found, room);
    const below = meaning === null ? [] : wrapWords(arrow + meaning, room);
    return [
      ...(isFirst ? [{ text: about, style: 'head' as const }] : []),
      [
        '  ',
        { text: verdict.padEnd(verdictWidth + 2), style: STYLES[verdict] },
        check + ' '.repeat(checkWidth - textWidth(check) + 2),
        first,
      ],
      ...rest.map((text) => ' '.repeat(indent) + text),
      ...below.map((text): Line => [' '.repeat(indent), { text, style: 'dim' }]),
    ];
  });
  const count = (verdict: ServiceFinding['verdict']): number =>
    findings.filter((each) => each.verdict === verdict).length;
  const counts = [
    plural(findings.length, 'finding'),
    ...(['warn', 'differs', 'unseen', 'fail'] as const).flatMap((verdict) =>
      count(verdict) === 0 ? [] : [`${count(verdict)} ${verdict}`],
    ),
  ];
  return [...lines, `${report.base_url}: ${counts.join(', ')}`];
}

/** Returns a text in lines of at most `columns`, broken between words. A longer word has a line of its own. */
function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of escapeText(text).split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line) + 1 + textWidth(word) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
