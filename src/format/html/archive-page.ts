// The page of a whole archive: first what was complete and what could not be proven, then the figures.
import { FILE_STATES, type FileState } from '../../contract/attachment-file.ts';
import { VERDICTS } from '../../contract/reports/files.ts';
import { isListRead } from '../../contract/reports/is-list-read.ts';
import { partByComparison } from '../../contract/reports/unexpected-files.ts';
import type { ArchiveReport, FilesByValue, ReadList } from '../../contract/reports/whole-archive.ts';
import { formatBytes, formatCount, formatSignificant, plural } from '../numbers.ts';
import { barTable, BAR_STYLE, type BarRow } from './bar-table.ts';
import { driftSection } from './drift-chart.ts';
import { html, type Markup, type Part } from './markup.ts';
import { monthsSection } from './month-chart.ts';
import { badge, command, dataTable, facts, page, tiles } from './page.ts';
import type { Tone } from './style-sheet.ts';
import { legend } from './svg-chart.ts';
import { filesTable, MAX_FILES, resultBadges, VERDICT_TONES } from './verified-files.ts';

const STYLE = `
${BAR_STYLE}
body { overflow-wrap: anywhere; }
h2 { scroll-margin-top: 1rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .2rem 0; }
a { color: var(--calm); }
:focus-visible { outline: 3px solid var(--calm); outline-offset: 2px; border-radius: .2rem; }
.part { margin: 1.5rem 0 0; }
.part > h2 { margin: 0 0 .5rem; font-size: 1.15rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 .75rem; align-items: start; }
.part > .tiles { margin: .75rem 0; }
.part > h2 + .tiles { margin-top: 0; }
[aria-labelledby='verification'] :is(td, thead th) { text-align: left; }
[aria-labelledby='verification'] td:nth-child(2) { white-space: normal; min-width: 10rem; }
.doubts { margin: .5rem 0; padding-left: 1.2rem; }
.doubts li { overflow-wrap: anywhere; margin: .25rem 0; }
.scroll:first-child { margin-top: 0; }
@media (max-width: 32rem) {
  thead th { white-space: normal; overflow-wrap: normal; }
  .bars th:first-child { min-width: 5rem; }
}
@media print {
  nav { display: none; }
  .scroll { overflow: visible; }
  details::details-content { display: block; content-visibility: visible; height: auto; }
}
`;

/** A part of the page: the link to it has its name. */
type Section = { id: string; name: string; body: Part };

/** `version` is that of arx. The same report gives the same bytes. */
export function archivePage(report: ArchiveReport, version: string): string {
  const { complete, archive, read_from, read_until } = report;
  const sections = [
    rests(report),
    counts(report),
    files(report),
    months(report),
    integrity(report),
    drift(report),
    verification(report.verification),
    reading(report),
  ].filter((section) => section !== undefined);
  const body = html`<header>
      <h1>Archive report ${badge(complete ? 'complete' : 'not complete', complete ? 'good' : 'bad')}</h1>
      <p>${placeOf(archive)}</p>
      <p>Read from ${instant(read_from)} to ${instant(read_until)} UTC${by(report)}.</p>
    </header>
    <nav aria-label="Parts of this page">
      <ul>
        ${sections.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}
      </ul>
    </nav>
    <main>${sections.map(drawn)}</main>
    <footer><p>Written by arx ${version}.</p></footer>`;
  return page({ title: `Archive report: ${placeOf(archive)}`, body, style: STYLE });
}

function drawn({ id, name, body }: Section): Markup {
  return html`<section class="part" aria-labelledby="${id}">
    <h2 id="${id}" tabindex="-1">${name}</h2>
    ${body}
  </section>`;
}

function placeOf(archive: string): string {
  return archive.startsWith('local:') ? `local archive in ${archive.slice('local:'.length)}` : archive;
}

const instant = (text: string): string => text.slice(0, 19).replace('T', ' ');

function by({ reader: { client_id: client, tier } }: ArchiveReport): string {
  if (tier === null) return '; the tier of the token is not known';
  return ` at the tier ${tier}${client === null ? '' : `, as ${client}`}`;
}

/** What was complete, and what could not be proven. */
function rests(report: ArchiveReport): Section {
  const { complete, lists, reader, attachments, conversations, messages, verification } = report;
  const from = reader.tier === null ? 'this reader' : `the tier ${reader.tier}`;
  const doubts: Part[] = [
    ...lists.flatMap(({ list, rows, problem }) =>
      problem === null
        ? []
        : [
            rows === 0
              ? `The list of ${NAMES[list]} was not read: ${problem.message}.`
              : `The list of ${NAMES[list]} is not complete. After ${plural(rows, 'row')}: ${problem.message}.`,
          ],
    ),
    ...lists.flatMap(({ list, changed }) =>
      changed === 0
        ? []
        : [
            `In the list of ${NAMES[list]}, ${changed === 1 ? '1 row' : `${formatCount(changed)} rows`} differed from one answer to another. Each is counted once.`,
          ],
    ),
    ...(messages.undated === 0
      ? []
      : [`${plural(messages.undated, 'message')} without a readable date: in no month below.`]),
    ...[[conversations.withheld, 'conversation'] as const, [messages.withheld, 'message'] as const].flatMap(
      ([withheld, noun]) =>
        withheld === 0
          ? []
          : [
              `${plural(withheld, noun)} withheld from ${from}: counted, but ${withheld === 1 ? 'its row' : 'their rows'} may lack date and source.`,
            ],
    ),
    ...(attachments.withheld === 0
      ? []
      : [
          `${plural(attachments.withheld, 'file')} withheld from ${from}: their bytes cannot be checked, and their rows may lack city, type and source.`,
        ]),
    ...(attachments.absent === 0
      ? []
      : [`${plural(attachments.absent, 'file')} absent: the archive never had their bytes.`]),
    verification === null
      ? html`No file was compared with its hash for this report. To do so:
        ${command('arx attachments pull --all --to DIR')}, then ${command('arx report --verify DIR')}.`
      : verification.fixity === 'ok'
        ? `The files in the folder ${verification.dir} were compared with their hashes, and all that were checked match.`
        : `The files in the folder ${verification.dir} were compared with their hashes. Not all match: see Verification.`,
    'Integrity is a number that the service states. This program did not measure it.',
  ];
  return {
    id: 'rests',
    name: 'What is complete, and what is not proven',
    body: html`<div class="sheet">
        <p>
          ${
            complete
              ? 'Every list was read to its end, and nothing showed that a row is missing. The figures count what this reader may see.'
              : 'Not every list was read to its end. The figures count only what was read: the archive may hold more, or other rows.'
          }
        </p>
        <ul class="doubts">
          ${doubts.map((doubt) => html`<li>${doubt}</li>`)}
        </ul>
      </div>
      ${dataTable(
        'Lists that were read',
        ['list', 'rows', 'whole', 'changed'],
        lists.map(({ list, rows, complete: isWhole, changed }): Part[] => [
          list,
          formatCount(rows),
          isWhole ? badge('yes', 'good') : badge('no', 'bad'),
          formatCount(changed),
        ]),
      )}`,
  };
}

const NAMES: Readonly<Record<ReadList['list'], string>> = {
  attachments: 'attachments',
  conversations: 'conversations',
  messages: 'messages',
  sequence: 'sequence entries',
};

/** Names of columns with the places where a telephone may break them. */
const BREAKABLE = {
  messages: 'messages',
  conversations: html`conver­sations`,
  attachments: html`attach­ments`,
};

function counts(report: ArchiveReport): Section {
  const { messages, conversations, attachments } = report;
  const total = (name: ReadList['list'], value: number) => ({
    name,
    value: isListRead(report, name) ? formatCount(value) : 'not read',
  });
  const state = (name: string, value: number, tone: Tone) => ({
    name,
    value: formatCount(value),
    ...(value > 0 ? { tone } : {}),
  });
  return {
    id: 'counts',
    name: 'Counts',
    body: tiles([
      total('messages', messages.total),
      total('conversations', conversations.total),
      total('attachments', attachments.total),
      state('available', attachments.available, 'good'),
      state('withheld', attachments.withheld, 'warn'),
      state('absent', attachments.absent, 'bad'),
      { name: 'size of all files, as listed', value: formatBytes(attachments.bytes) },
    ]),
  };
}

function files({ attachments, messages }: ArchiveReport): Section | undefined {
  const bodies = [
    filesBy('city', 'Attachments by city', attachments.cities),
    filesBy('type', 'Attachments by type', attachments.types),
    filesBy('source', 'Attachments by source', attachments.sources),
    messagesBySource(messages.sources),
  ].filter((body) => body !== undefined);
  if (bodies.length === 0) return undefined;
  return {
    id: 'values',
    name: 'Cities, types and sources',
    body: html`<div class="pair">${bodies}</div>`,
  };
}

const TONES: Record<FileState, Tone> = { available: 'calm', withheld: 'warn', absent: 'bad' };

function filesBy(column: string, caption: string, { values, others }: FilesByValue): Markup | undefined {
  if (values.every(({ value }) => value === null)) return undefined;
  const states = FILE_STATES.filter((state) => values.some((row) => row[state] > 0));
  const drawn = states.filter((state) => values.some((row) => row.value !== null && row[state] > 0));
  // Where all files are available, or none is, the number of files says it.
  const counted = states.filter((state) => state !== 'available');
  const rows = values.map((row): BarRow => ({
    name: row.value ?? 'not stated',
    bar: row.value === null ? [] : states.map((state) => ({ tone: TONES[state], value: row[state] })),
    cells: [formatCount(row.files), ...counted.map((state) => formatCount(row[state]))],
  }));
  return html`<div class="sheet">
    ${barTable(caption, [column, 'files', ...counted], rows)}
    ${drawn.length > 1 ? html`<p>${drawn.map((name) => legend({ name, tone: TONES[name] }))}</p>` : undefined}
    ${rest(others, 'file')}
  </div>`;
}

function messagesBySource({ values, others }: ArchiveReport['messages']['sources']): Markup | undefined {
  if (values.every(({ value }) => value === null)) return undefined;
  const rows = values.map(({ value, messages }): BarRow => ({
    name: value ?? 'not stated',
    bar: value === null ? [] : [{ tone: 'calm', value: messages }],
    cells: [formatCount(messages)],
  }));
  return html`<div class="sheet">
    ${barTable('Messages by source', ['source', 'messages'], rows)} ${rest(others, 'message')}
  </div>`;
}

function rest({ values, rows }: FilesByValue['others'], noun: string): Markup | undefined {
  if (rows === 0) return undefined;
  const names = values === null ? 'more others than are told apart' : plural(values, 'other');
  return html`<p>And ${names}, with ${plural(rows, noun)}.</p>`;
}

function months({ messages }: ArchiveReport): Section | undefined {
  if (messages.by_month.length === 0) return undefined;
  return { id: 'months', name: 'Messages by month', body: monthsSection(messages) };
}

function integrity({ integrity: counted }: ArchiveReport): Section | undefined {
  const kinds = (['messages', 'conversations', 'attachments'] as const).filter((kind) =>
    counted[kind].groups.some(({ rows }) => rows > 0),
  );
  if (kinds.length === 0) return undefined;
  const groups = counted.messages.groups.map(({ from, to }, at) => ({
    name: from === to ? String(from) : `${from} to below ${to}`,
    rows: kinds.map((kind) => counted[kind].groups[at]?.rows ?? 0),
  }));
  const lowest = kinds.map((kind) => {
    const { lowest: least, not_stated: missing } = counted[kind];
    return `${kind}: lowest ${formatSignificant(least ?? 0)}${missing === 0 ? '' : `, not stated by ${plural(missing, 'row')}`}`;
  });
  return {
    id: 'integrity',
    name: 'Integrity',
    body: html`<div class="sheet">
      <p>The share of checks that a row passes, as the service states it. ${lowest.join('; ')}.</p>
      ${barTable(
        'Rows by integrity',
        ['integrity', ...kinds.map((kind) => BREAKABLE[kind])],
        groups
          .filter(({ rows }) => rows.some((count) => count > 0))
          .toReversed()
          .map(({ name, rows }) => ({
            name,
            bar: [{ tone: 'calm' as const, value: rows.reduce((sum, count) => sum + count, 0) }],
            cells: rows.map(formatCount),
          })),
      )}
    </div>`,
  };
}

function drift({ sequence }: ArchiveReport): Section | undefined {
  if (sequence === null || sequence.compared === 0) return undefined;
  return { id: 'drift', name: 'Sequence drift', body: driftSection(sequence) };
}

function verification(verified: ArchiveReport['verification']): Section | undefined {
  if (verified === null) return undefined;
  const { dir, checked, bytes, verdicts, differing, bag } = verified;
  const { unexpected, notCompared } = partByComparison(differing);
  const problems = (bag?.problems ?? []).slice(0, MAX_FILES).map(({ what }) => what);
  return {
    id: 'verification',
    name: 'Verification',
    body: [
      html`<div class="sheet">
        <p>${dir} ${resultBadges(verified)}</p>
        <p>
          ${plural(checked, 'file')} compared with ${checked === 1 ? 'its hash' : 'their hashes'},
          ${formatBytes(bytes)} read.
          ${unexpected.length === 0 ? 'Every file that was checked is as expected.' : undefined}
        </p>
        ${problems.length === 0 ? undefined : html`<p>Problems of the bag: ${problems.join('; ')}.</p>`}
      </div>`,
      tiles(
        VERDICTS.filter((verdict) => (verdicts[verdict] ?? 0) > 0).map((verdict) => ({
          name: verdict,
          value: formatCount(verdicts[verdict] ?? 0),
          tone: VERDICT_TONES[verdict],
        })),
      ),
      filesTable('Files that are not as expected', unexpected),
      filesTable('Other files', notCompared),
    ],
  };
}

function reading({ archive, service, reader, read_from, read_until }: ArchiveReport): Section {
  return {
    id: 'reading',
    name: 'How it was read',
    body: facts([
      ['archive', placeOf(archive)],
      ['service', service ?? 'does not name itself'],
      ['reader', reader.client_id ?? 'not known'],
      ['tier', reader.tier ?? 'not known: the token was given without its record'],
      ['scopes', reader.scope === null ? 'not known' : reader.scope.join(', ')],
      ['first answer', `${instant(read_from)} UTC`],
      ['last answer', `${instant(read_until)} UTC`],
      ['same figures as JSON', command('arx report --json')],
    ]),
  };
}
