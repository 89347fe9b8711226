// Says in words what an examination found out about a service, and what that means for the user. Pure functions.
import { CLOCK_TOLERANCE_MS, describeClockOffset } from '../../config/token-expiry.ts';
import type { Presence, ServiceFinding, ServiceReport } from '../../contract/reports/service.ts';
import { EXAMINED_LISTS } from '../../contract/reports/service.ts';
import { plural } from '../../format/numbers.ts';
import { finding } from './finding.ts';
import { listFindings } from './list-findings.ts';

/** The report without its findings. */
export type Examined = Omit<ServiceReport, 'findings'>;

type Verdict = ServiceFinding['verdict'];

/** Returns all lines about the service, without those about this installation. `login` is the command that obtains a token. */
export function findingsOf(report: Examined, login: string): ServiceFinding[] {
  if (report.outcome === 'unreachable') return [];
  return [
    ...serviceFindings(report, login),
    ...EXAMINED_LISTS.flatMap((name) => [
      ...listFindings(name, report.lists[name]),
      ...(name === 'conversations' ? [crossCheckFinding(report)] : []),
    ]),
    ...recordFindings(report),
    ...fileFindings(report),
    examinationFinding(report),
  ];
}

function serviceFindings(report: Examined, login: string): ServiceFinding[] {
  const line = (check: string, verdict: Verdict, found: string, meaning: string | null = null) =>
    finding('service', check, verdict, found, meaning);
  const { health, errors, rows } = report;
  const named = [health.service, health.version].filter((text) => text !== null).join(' ');
  return [
    health.state === 'present'
      ? line('health', 'ok', named === '' ? 'answers' : `answers: ${named}`)
      : line(
          'health',
          'warn',
          health.state === 'missing' ? 'not there (404)' : 'no health record',
          'where files are is not announced: --asset-url names it',
        ),
    ...tokenFindings(report, login),
    clockFinding(report.clock_offset_ms),
    report.drift_ratio === null
      ? line('reported drift', 'unseen', 'none reported')
      : report.drift_ratio === 0
        ? line('reported drift', 'ok', '0')
        : line(
            'reported drift',
            'warn',
            String(report.drift_ratio),
            'single pages may be wrong: walk the lists (arx help drift)',
          ),
    transportFinding(report),
    errorFinding(errors),
    report.rate_limit_headers.length === 0
      ? line('rate limits', 'ok', 'no header names one')
      : line('rate limits', 'ok', `headers: ${report.rate_limit_headers.join(', ')}`),
    line(
      'rows by tier',
      rows.sampled === 0 ? 'unseen' : rows.withheld > 0 ? 'warn' : 'ok',
      describeRows(rows),
      rows.withheld > 0 ? 'a token of another tier may show them' : null,
    ),
  ];
}

function describeRows({ sampled, withheld, tiers, sources }: ServiceReport['rows']): string {
  const counts = (values: Record<string, number>): string =>
    Object.entries(values)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  return [
    `${plural(sampled, 'row')} seen, ${withheld} withheld`,
    Object.keys(tiers).length === 0 ? 'no row names a tier' : `tiers: ${counts(tiers)}`,
    ...(Object.keys(sources).length === 0 ? [] : [`sources: ${counts(sources)}`]),
  ].join('; ');
}

function tokenFindings({ auth }: Examined, login: string): ServiceFinding[] {
  const sent =
    auth.token !== 'sent'
      ? finding(
          'service',
          'token',
          auth.needed === 'no' ? 'ok' : 'unseen',
          auth.token === 'none' ? 'none was sent' : 'the stored token cannot be used',
          auth.needed === 'no' ? null : login,
        )
      : {
          yes: finding('service', 'token', 'ok', 'accepted'),
          no: finding('service', 'token', 'fail', 'refused (401)', login),
          differs: finding('service', 'token', 'warn', 'accepted for some lists, refused (401) for others'),
          unseen: finding('service', 'token', 'unseen', 'sent; no list shows whether it is accepted'),
        }[auth.accepted];
  const needed = {
    yes: finding('service', 'token needed', 'ok', 'yes'),
    no: finding('service', 'token needed', 'ok', 'no, lists are open'),
    differs: finding('service', 'token needed', 'differs', 'answers differ'),
    unseen: finding('service', 'token needed', 'unseen', 'not known'),
  }[auth.needed];
  return [sent, needed];
}

function clockFinding(offset: number | null): ServiceFinding {
  if (offset === null)
    return finding(
      'service',
      'clock',
      'warn',
      'no usable Date header',
      'expiry of tokens is judged by the clock of this machine',
    );
  return Math.abs(offset) <= CLOCK_TOLERANCE_MS
    ? finding('service', 'clock', 'ok', 'agrees with this machine')
    : finding(
        'service',
        'clock',
        'warn',
        `your clock is off by ${describeClockOffset(offset)}`,
        'expiry of tokens is judged by the clock of the service',
      );
}

function transportFinding({ transport: { cut, unanswered }, requests }: Examined): ServiceFinding {
  if (cut + unanswered === 0) return finding('service', 'answers', 'ok', 'all arrived whole');
  const found = [
    ...(cut === 0 ? [] : [`${cut} arrived cut`]),
    ...(unanswered === 0 ? [] : [`${unanswered} did not arrive`]),
  ];
  return finding(
    'service',
    'answers',
    'warn',
    `of ${plural(requests, 'request')}, ${found.join(' and ')}`,
    'arx asks again, as often as --retries allows',
  );
}

function errorFinding({ documented, other, lacking }: ServiceReport['errors']): ServiceFinding {
  const check = 'error bodies';
  if (documented + other === 0) return finding('service', check, 'unseen', 'no request was refused');
  if (other === 0) return finding('service', check, 'ok', `as documented (${documented} seen)`);
  return finding(
    'service',
    check,
    documented > 0 ? 'differs' : 'warn',
    `${other} of ${documented + other} lack ${lacking.join(', ')}`,
    'messages of arx say less about refused requests',
  );
}

function crossCheckFinding({ cross_check: { usable, opening, reason } }: Examined): ServiceFinding {
  const line = (verdict: Verdict, found: string, meaning: string | null = null) =>
    finding('conversations', 'cross-check', verdict, found, meaning);
  if (usable === null) return line(opening === 'differs' ? 'differs' : 'unseen', reason);
  return usable
    ? line('ok', `usable: ${reason}`)
    : line('warn', `not usable: ${reason}`, 'walks rest on the list alone; --cross-check full is not met');
}

/** What it means that a single record has no route of its own. */
const WITHOUT_ROUTE: Record<keyof ServiceReport['records'], [check: string, meaning: string]> = {
  attachment: ['one attachment', 'arx looks it up in the list: needs the whole list'],
  conversation: ['one conversation', 'arx looks it up in the lists: needs the whole lists'],
  content_raw: ['message, raw view', 'messages cannot be read in full or saved'],
  content_lore: ['message, lore view', 'content get --view lore does not work'],
  sequence: ['sequence', 'sequence show arc_reconstruction does not work'],
};

function recordFindings({ records }: Examined): ServiceFinding[] {
  return Object.entries(WITHOUT_ROUTE).map(([key, [check, meaning]]) =>
    presenceFinding('records', check, records[key as keyof ServiceReport['records']], meaning),
  );
}

function presenceFinding(about: string, check: string, presence: Presence, meaning: string): ServiceFinding {
  const TEXTS: Record<Presence, [Verdict, string]> = {
    present: ['ok', 'served'],
    missing: ['warn', 'no such path'],
    needs_token: ['unseen', 'needs a token'],
    forbidden: ['unseen', 'the tier or scope of the token does not allow it'],
    other: ['warn', 'another answer than the record'],
    differs: ['differs', 'answers differ'],
    unseen: ['unseen', 'nothing to try it with'],
  };
  const [verdict, found] = TEXTS[presence];
  return finding(about, check, verdict, found, verdict === 'warn' ? meaning : null);
}

function fileFindings({ files }: Examined): ServiceFinding[] {
  const line = (check: string, verdict: Verdict, found: string, meaning: string | null = null) =>
    finding('files', check, verdict, found, meaning);
  const address = {
    available: line('address', 'ok', `file of ${files.id} read`),
    refused: line('address', 'warn', `file of ${files.id} is refused`, 'attachments pull fails for it'),
    untrusted: line(
      'address',
      'warn',
      'files are on another origin than the service',
      'arx fetches them only with --asset-url or --allow-asset-host',
    ),
    withheld: line('address', 'unseen', 'no row of the sample names a file'),
    unseen: line('address', 'unseen', files.reason ?? 'not seen'),
  }[files.address];
  if (files.address !== 'available') return [address];
  const hash = {
    match: line('sha256', 'ok', 'matches the row'),
    mismatch: line('sha256', 'warn', 'differs from the row', 'pull does not keep such a file'),
    unseen: line('sha256', 'unseen', 'the row has no hash, or the file is larger than 1 MiB'),
  }[files.hash];
  const restart = 'an interrupted download begins anew';
  const ranges =
    files.etag !== 'strong'
      ? line('range requests', 'warn', files.etag === 'weak' ? 'only a weak ETag' : 'no ETag', restart)
      : {
          honoured: line('range requests', 'ok', 'honoured'),
          ignored: line('range requests', 'warn', 'ignored: the whole file comes', restart),
          refused: line('range requests', 'warn', 'refused', restart),
          wrong: line('range requests', 'warn', 'another part came than asked for', restart),
          unseen: line('range requests', 'unseen', 'the file is too small or too large to try'),
        }[files.ranges];
  return [address, hash, ranges];
}

function examinationFinding({ requests, elapsed_ms: elapsed, stopped }: Examined): ServiceFinding {
  const cost = `${plural(requests, 'request')} in ${(elapsed / 1000).toFixed(1)} s`;
  return stopped === null
    ? finding('examination', 'requests', 'ok', cost)
    : finding(
        'examination',
        'requests',
        'warn',
        `${cost}; ended early: ${stopped}`,
        'some lines could not be settled',
      );
}
