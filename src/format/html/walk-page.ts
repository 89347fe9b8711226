// A frozen walk as an HTML report: drift and reads by window, facts and figures.
import type { FrozenWalk, PlotReport, WalkedWindow } from '../../contract/reports/walk.ts';
import { splitIntoBuckets } from '../plot/axes.ts';
import { svgChart, type ChartColumn, type Level } from './svg-chart.ts';
import { formatCount, plural, formatSignificant } from '../numbers.ts';
import { html, type Markup, type Part } from './markup.ts';
import { badge, command, dataTable, facts, page, tiles } from './page.ts';
import { formatInstant } from '../views/shared-columns.ts';
import { shellWord } from '../../shell-words.ts';

/** Columns of a chart and rows of the table. More windows than this are shown in groups. */
const MAX_GROUPS = 200;
const MAX_NAMED_IDS = 50;

/** Neighbouring windows that are shown as one. `drift` is null where none was reported. */
type Group = {
  name: string;
  first: number;
  last: number;
  conversations: number;
  reads: Cost;
  disagreements: Cost;
  drift: { least: number; most: number } | null;
};

type Cost = Level & { all: number };

/** Returns the HTML document. `version` is that of arx. The same report gives the same bytes. */
export function walkPage(report: PlotReport, version: string): string {
  const { walk, windows } = report;
  const groups = splitIntoBuckets(windows, MAX_GROUPS).map(groupOf);
  const verdict = walk.complete ? badge('complete', 'good') : badge('end not recorded', 'warn');
  const isGrouped = groups.length < windows.length;
  const share = isGrouped
    ? `, about ${formatCount(Math.round(windows.length / groups.length))} a column: `
    : '';
  const charts = [
    driftChart(report, groups, isGrouped ? `window${share}the highest of them` : 'window'),
    costChart(
      report,
      groups,
      isGrouped ? `window${share}their average, and pale the highest of them` : 'window',
    ),
  ];
  const body = html`<header>
      <h1>${walk.dir} ${verdict}</h1>
      <p>The frozen walk of the ${walk.list} of ${walk.base_url}</p>
    </header>
    <main>
      ${totals(report)} ${windows.length === 0 ? html`<p>There are no windows to draw.</p>` : charts}
      ${facts(factsOf(walk))} ${windows.length === 0 ? undefined : table(groups, isGrouped)}
    </main>
    <footer>
      <p>
        Written by arx ${version} from the folder alone.
        ${command(`arx conversations verify ${shellWord(walk.dir)}`)} proves its chain and names its head.
      </p>
    </footer>`;
  return page({ title: `Frozen walk ${walk.dir}`, body });
}

function totals({ walk, reads, disagreements, drift }: PlotReport): Markup {
  return tiles([
    { name: 'rows', value: formatCount(walk.conversations) },
    { name: 'windows', value: formatCount(walk.windows) },
    { name: 'reads', value: formatCount(reads) },
    {
      name: 'disagreements',
      value: formatCount(disagreements),
      ...(disagreements > 0 ? { tone: 'bad' as const } : {}),
    },
    drift.max === null
      ? { name: 'drift reported', value: 'none' }
      : {
          name: 'drift at most',
          value: formatSignificant(drift.max),
          ...(drift.max > 0 ? { tone: 'warn' as const } : {}),
        },
  ]);
}

function driftChart({ drift }: PlotReport, groups: readonly Group[], axis: string): Markup | undefined {
  const { first, last, max } = drift;
  if (first === null || last === null || max === null) return undefined;
  return svgChart({
    title: 'Drift reported by the service',
    says: `The ratio was ${formatSignificant(first)} at first and ${formatSignificant(last)} at last, ${formatSignificant(max)} at most.`,
    shape: 'steps',
    columns: groups.map((group) => ({ ...labelled(group, groups), up: driftLevel(group) })),
    up: { name: 'drift ratio', tone: 'warn' },
    axis,
    figure: formatSignificant,
    whole: false,
  });
}

function costChart({ reads, disagreements }: PlotReport, groups: readonly Group[], axis: string): Markup {
  return svgChart({
    title: 'What the windows cost',
    says: `${plural(reads, 'read')} until all of them were settled, ${plural(disagreements, 'disagreement')} among them.`,
    shape: 'bars',
    columns: groups.map((group) => ({
      ...labelled(group, groups),
      up: group.reads,
      down: group.disagreements,
    })),
    up: { name: 'reads', tone: 'calm' },
    down: { name: 'disagreements', tone: 'bad' },
    axis,
    figure: formatCount,
    whole: true,
  });
}

function labelled(group: Group, groups: readonly Group[]): Pick<ChartColumn, 'label' | 'says'> {
  const says = [
    `${group.name}: drift ${driftOf(group)}`,
    plural(group.reads.all, 'read'),
    plural(group.disagreements.all, 'disagreement'),
    plural(group.conversations, 'row'),
  ].join(', ');
  return { label: formatCount(group === groups.at(-1) ? group.last : group.first), says };
}

function driftLevel({ drift }: Group): Level | null {
  if (drift === null) return null;
  const most = Math.max(0, drift.most);
  return { most, usual: most };
}

function factsOf(walk: FrozenWalk): [string, Part][] {
  const named = (ids: readonly string[]): string => {
    const rest = ids.length - MAX_NAMED_IDS;
    return `${ids.slice(0, MAX_NAMED_IDS).join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`;
  };
  const range = `after ${walk.after ?? 'the start'}, before ${walk.before ?? 'the end'}`;
  return [
    ['archive', walk.base_url],
    ['list', walk.list],
    ['tier', walk.tier ?? 'not recorded'],
    ['range', walk.after === null && walk.before === null ? 'the whole list' : range],
    [
      'ended',
      walk.finished_at === null
        ? 'nothing says that this walk reached its end; the list may go on'
        : `${formatInstant(walk.finished_at)} UTC`,
    ],
    ['head of the chain', walk.head === null ? 'none: nothing was frozen' : html`<code>${walk.head}</code>`],
    ...(walk.late.length === 0
      ? []
      : [['seen among frozen rows, in no window', named(walk.late)] as [string, Part]]),
    ...(walk.unplaced.length === 0
      ? []
      : [['seen, never with a settled place', named(walk.unplaced)] as [string, Part]]),
    ...(walk.torn
      ? [['last line', 'torn, as a killed walk leaves it; it is not counted'] as [string, Part]]
      : []),
  ];
}

function table(groups: readonly Group[], isGrouped: boolean): Markup {
  const most = (count: Cost): string =>
    isGrouped ? `${formatCount(count.all)} (most ${formatCount(count.most)})` : formatCount(count.all);
  return dataTable(
    isGrouped ? `The figures, ${plural(groups.length, 'group')} of windows` : 'The figures, window by window',
    ['window', 'rows', 'reads', 'disagreements', 'drift'],
    groups.map((group) => [
      group.name.replace(/^windows? /, ''),
      formatCount(group.conversations),
      most(group.reads),
      most(group.disagreements),
      driftOf(group),
    ]),
  );
}

function groupOf(windows: readonly WalkedWindow[]): Group {
  const first = windows[0]?.window ?? 0;
  const last = windows.at(-1)?.window ?? 0;
  const drifts = windows.flatMap(({ drift_ratio }) => (drift_ratio === null ? [] : [drift_ratio]));
  const sum = (of: (window: WalkedWindow) => number): Cost => {
    const all = windows.reduce((total, window) => total + of(window), 0);
    const most = windows.reduce((found, window) => Math.max(found, of(window)), 0);
    return { all, most, usual: all / windows.length };
  };
  return {
    name:
      first === last
        ? `window ${formatCount(first)}`
        : `windows ${formatCount(first)} to ${formatCount(last)}`,
    first,
    last,
    conversations: sum(({ conversations }) => conversations).all,
    reads: sum(({ reads }) => reads),
    disagreements: sum(({ disagreements }) => disagreements),
    drift:
      drifts.length === 0
        ? null
        : {
            least: drifts.reduce((least, drift) => Math.min(least, drift)),
            most: drifts.reduce((most, drift) => Math.max(most, drift)),
          },
  };
}

function driftOf({ drift }: Group): string {
  if (drift === null) return 'not reported';
  const { least, most } = drift;
  return least === most
    ? formatSignificant(most)
    : `${formatSignificant(least)} to ${formatSignificant(most)}`;
}
