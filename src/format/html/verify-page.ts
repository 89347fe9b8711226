// A verification as an HTML report: figures, verdicts by folder, the failures, and the folders as a tree.
import {
  VERDICTS,
  type Verdict,
  type VerifiedFile,
  type VerifyReport,
} from '../../contract/reports/files.ts';
import { partByComparison } from '../../contract/reports/unexpected-files.ts';
import { svgChart } from './svg-chart.ts';
import { formatCount, plural, formatBytes } from '../numbers.ts';
import { html, type Markup } from './markup.ts';
import { facts, page, tiles } from './page.ts';
import type { Tone } from './style-sheet.ts';
import { filesTable, MAX_FILES, resultBadges, VERDICT_ORDER, VERDICT_TONES } from './verified-files.ts';

const MAX_FOLDERS = 1000;
const MAX_COLUMNS = 40;
const MAX_DEPTH = 20;

type Counts = Record<Verdict, number>;
type Folder = { name: string; counts: Counts; inner: Map<string, Folder> };

/** `what` is what was verified, as it was named; `version` that of arx. The same report gives the same bytes. */
export function verifyPage(report: VerifyReport, what: string, version: string): string {
  const { checked, bytes, files } = report;
  const { unexpected, notCompared } = partByComparison(files.filter(({ verdict }) => verdict !== 'match'));
  const root = treeOf(files);
  const body = html`<header>
      <h1>${what} ${resultBadges(report)}</h1>
      <p>${plural(checked, 'file')} checked, ${formatBytes(bytes)}</p>
    </header>
    <main>
      ${totals(report)} ${files.length === 0 ? undefined : picture(root)}
      ${unexpected.length === 0 ? asExpected(checked) : undefined}
      ${filesTable('Not as expected', unexpected)} ${filesTable('Other files', notCompared)}
      ${bagFacts(report)} ${files.length === 0 ? undefined : tree(root)}
    </main>
    <footer><p>Written by arx ${version}.</p></footer>`;
  return page({ title: `Verification of ${what}`, body });
}

function totals({ verdicts }: VerifyReport): Markup {
  return tiles(
    VERDICTS.map((verdict) => {
      const count = verdicts[verdict] ?? 0;
      return {
        name: verdict,
        value: formatCount(count),
        ...(count > 0 ? { tone: VERDICT_TONES[verdict] } : {}),
      };
    }),
  );
}

/** A column a folder of the first level, those with most failures first. */
function picture(root: Folder): Markup {
  const folders = [...root.inner.values()].sort(worstFirst);
  const shown = folders.length > 0 ? folders.slice(0, MAX_COLUMNS) : [root];
  const rest = folders.length - shown.length;
  const level = (most: number) => ({ most, usual: most });
  return svgChart({
    title: 'Verdicts by folder',
    says: `${plural(root.counts.match, 'file')} with the verdict match, ${formatCount(othersOf(root.counts))} with another.`,
    shape: 'bars',
    columns: shown.map(({ name, counts }) => ({
      label: name,
      says: `${name}: ${countsText(counts)}`,
      up: level(counts.match),
      down: level(othersOf(counts)),
    })),
    up: { name: 'match', tone: 'good' },
    down: { name: 'anything else', tone: 'bad' },
    axis: rest > 0 ? `folder, those with most failures of ${formatCount(folders.length)}` : 'folder',
    figure: formatCount,
    whole: true,
  });
}

function asExpected(checked: number): Markup | undefined {
  return checked === 0 ? undefined : html`<p>Every file that was checked is as expected.</p>`;
}

function bagFacts({ bag }: VerifyReport): Markup | undefined {
  if (bag === undefined) return undefined;
  const named = bag.problems.slice(0, MAX_FILES).map(({ what }) => what);
  return facts([
    ['bag', `BagIt ${bag.version}, ${[...bag.algorithms, bag.encoding].join(', ')}`],
    ['Payload-Oxum', bag.payload_oxum ?? 'none'],
    [
      'to be fetched',
      bag.fetch.length === 0 ? 'nothing' : `${plural(bag.fetch.length, 'file')}, which was not done`,
    ],
    ['problems', named.length === 0 ? 'none' : named.join('; ')],
  ]);
}

function tree(root: Folder): Markup {
  let left = MAX_FOLDERS;
  const draw = ({ name, counts, inner }: Folder): Markup | undefined => {
    if (left-- <= 0) return undefined;
    const line = html`${name} <span class="${worstTone(counts)}">${countsText(counts)}</span>`;
    const folders = [...inner.values()].sort(worstFirst).map(draw);
    if (folders.length === 0) return html`<p>${line}</p>`;
    const shown = html`<summary>${line}</summary>
      ${folders}`;
    // Folders with failures are open.
    return othersOf(counts) > 0
      ? html`<details class="sheet" open="open">${shown}</details>`
      : html`<details class="sheet">${shown}</details>`;
  };
  const drawn = draw(root);
  return html`${drawn} ${left < 0 ? html`<p>And ${plural(-left, 'more folder')}.</p>` : undefined}`;
}

function treeOf(files: readonly VerifiedFile[]): Folder {
  const root = folderNamed('all folders');
  for (const { path, verdict } of files) {
    let at = root;
    at.counts[verdict] += 1;
    const parts = (path ?? '(no file)/').split('/').slice(0, -1);
    for (const part of parts.slice(0, MAX_DEPTH)) {
      const found = at.inner.get(part) ?? folderNamed(part);
      at.inner.set(part, found);
      found.counts[verdict] += 1;
      at = found;
    }
  }
  return root;
}

const folderNamed = (name: string): Folder => ({
  name,
  counts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Counts,
  inner: new Map(),
});

const othersOf = (counts: Counts): number =>
  VERDICTS.reduce((sum, verdict) => sum + (verdict === 'match' ? 0 : counts[verdict]), 0);

const worstFirst = (a: Folder, b: Folder): number =>
  othersOf(b.counts) - othersOf(a.counts) || (a.name < b.name ? -1 : 1);

const worstTone = (counts: Counts): Tone =>
  VERDICT_TONES[VERDICT_ORDER.find((verdict) => counts[verdict] > 0) ?? 'match'];

const countsText = (counts: Counts): string =>
  VERDICT_ORDER.filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${formatCount(counts[verdict])} ${verdict}`)
    .join(', ');
