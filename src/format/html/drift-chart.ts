// The drift of a sequence on a page: a chart of reported against checked positions, and the displaced entries as a table.
import type { SequenceDrift } from '../../contract/reports/whole-archive.ts';
import { formatCount, plural } from '../numbers.ts';
import { html, type Part } from './markup.ts';
import { dataTable } from './page.ts';
import { svgChart } from './svg-chart.ts';

/** Returns the chart and the table. Some entries must state both positions. */
export function driftSection(sequence: SequenceDrift): Part {
  const { name, entries, compared, displaced, ahead, behind, groups } = sequence;
  const says =
    displaced === 0
      ? `All ${formatCount(compared)} entries that state both positions are where they are reported.`
      : `${formatCount(displaced)} of ${formatCount(compared)} entries ${displaced === 1 ? 'is' : 'are'} elsewhere than reported, at most ${plural(ahead, 'position')} too late and ${plural(behind, 'position')} too early.`;
  const level = (most: number) => ({ most, usual: most });
  const isGrouped = groups.some(({ first, last }) => first < last);
  const nameOf = ({ first, last }: (typeof groups)[number]): string =>
    first === last ? `entry ${formatCount(first)}` : `entries ${formatCount(first)} to ${formatCount(last)}`;
  const chart =
    displaced === 0
      ? html`<div class="sheet"><p>${says}</p></div>`
      : svgChart({
          title: `Reported against checked positions of ${name}`,
          level: 3,
          says,
          shape: 'bars',
          columns: groups.map((group) => ({
            label: formatCount(group === groups.at(-1) ? group.last : group.first),
            says: `${nameOf(group)}: ${formatCount(group.displaced)} displaced, up to ${formatCount(group.ahead)} too late and ${formatCount(group.behind)} too early`,
            up: level(group.ahead),
            down: level(group.behind),
          })),
          up: { name: 'reported too late', tone: 'warn' },
          down: { name: 'reported too early', tone: 'calm' },
          axis: isGrouped ? 'entries, in groups: the farthest of each' : 'entry',
          figure: formatCount,
          whole: true,
        });
  const moved = groups.filter((group) => group.displaced > 0);
  return [
    chart,
    entries > compared
      ? html`<p>
          ${formatCount(entries - compared)} of ${formatCount(entries)} entries do not state both positions.
        </p>`
      : undefined,
    moved.length === 0
      ? undefined
      : dataTable(
          'Displaced entries',
          ['entries', 'displaced', 'too late by', 'too early by'],
          moved.map((group) => [
            nameOf(group).replace(/^entr\w+ /, ''),
            formatCount(group.displaced),
            formatCount(group.ahead),
            formatCount(group.behind),
          ]),
        ),
  ];
}
