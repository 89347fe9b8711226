// The files of a verification on a page: its result as badges, and a table of files, worst first.
import type { Verdict, VerifiedFile, VerifyReport } from '../../contract/reports/files.ts';
import { formatCount } from '../numbers.ts';
import { reasonOrNow } from '../views/files-report.ts';
import { shortHash } from '../views/shared-columns.ts';
import { html, type Markup, type Part } from './markup.ts';
import { badge, dataTable } from './page.ts';
import type { Tone } from './style-sheet.ts';

/** Of more files or problems than these a page names the first; the JSON report has all. */
export const MAX_FILES = 1000;

/** The colour of each verdict. */
export const VERDICT_TONES: Record<Verdict, Tone> = {
  match: 'good',
  mismatch: 'bad',
  missing: 'bad',
  unreadable: 'bad',
  unverifiable: 'warn',
  withheld: 'warn',
  absent: 'warn',
  extra: 'warn',
};
/** The verdicts, failures first. */
export const VERDICT_ORDER: readonly Verdict[] = [
  'mismatch',
  'missing',
  'unreadable',
  'unverifiable',
  'withheld',
  'absent',
  'extra',
  'match',
];

/** Returns the badges of the fixity and the completeness. */
export function resultBadges({ fixity, completeness }: Pick<VerifyReport, 'fixity' | 'completeness'>): Part {
  return [
    badge(
      `fixity ${fixity.replaceAll('_', ' ')}`,
      fixity === 'ok' ? 'good' : fixity === 'failed' ? 'bad' : 'warn',
    ),
    ' ',
    badge(
      completeness,
      completeness === 'complete' ? 'good' : completeness === 'incomplete' ? 'bad' : 'warn',
    ),
  ];
}

/** Returns a table of files, failures first; nothing for no file. */
export function filesTable(name: string, files: readonly VerifiedFile[]): Markup | undefined {
  if (files.length === 0) return undefined;
  const rows = VERDICT_ORDER.flatMap((verdict) => files.filter((file) => file.verdict === verdict)).slice(
    0,
    MAX_FILES,
  );
  return dataTable(
    rows.length < files.length
      ? `${name}, the first ${formatCount(rows.length)} of ${formatCount(files.length)}`
      : name,
    ['file', 'verdict', 'record', 'expected', 'found', 'bytes'],
    rows.map(({ path, id, verdict, expected, actual, bytes, ...why }): Part[] => [
      path ?? id ?? '',
      html`${badge(verdict, VERDICT_TONES[verdict])} ${reasonOrNow(why)}`,
      id ?? '',
      hash(expected),
      hash(actual),
      bytes === null ? '' : formatCount(bytes),
    ]),
  );
}

const hash = (text: string | null): Part => (text === null ? '' : html`<code>${shortHash(text)}</code>`);
