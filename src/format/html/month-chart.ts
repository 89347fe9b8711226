// Messages by month on a page: a chart in which months without messages are gaps, and the numbers as a table.
import type { ArchiveReport } from '../../contract/reports/whole-archive.ts';
import { splitIntoBuckets } from '../plot/axes.ts';
import { formatCount, plural } from '../numbers.ts';
import type { Part } from './markup.ts';
import { dataTable } from './page.ts';
import { svgChart } from './svg-chart.ts';

/** Columns of the chart. A longer time is shown by year, and a still longer one by several years. */
const MAX_COLUMNS = 360;
/** Rows of the table; more months than this are shown by year. */
const MAX_ROWS = 600;

/** At each end of the time, the part of all messages that may be left out of the chart. */
const MAX_SHARE_OF_FAR_MONTHS = 0.005;
/** They are left out where the time with them is at least this many times as long. */
const MIN_FAR_SPAN = 2;

/** A time from one month, or year, to another. */
type Time = { first: string; last: string; messages: number };

/** Returns the chart and the table. There must be a month. */
export function monthsSection({ by_month: months, undated }: ArchiveReport['messages']): Part {
  const all = monthsBetween(months);
  const drawn = monthsBetween(withoutFarMonths(months));
  const isChartByMonth = drawn.length <= MAX_COLUMNS;
  const times = isChartByMonth ? drawn : splitIntoBuckets(yearsOf(drawn), MAX_COLUMNS).map(joined);
  const isByYear = times.every(({ first, last }) => first === last);
  const isTableByMonth = months.length <= MAX_ROWS;
  const rows = isTableByMonth ? all : splitIntoBuckets(yearsOf(all), MAX_ROWS).map(joined);
  const total = months.reduce((sum, { messages }) => sum + messages, 0);
  const undrawn = total - drawn.reduce((sum, { messages }) => sum + messages, 0);
  const empty = all.length - months.length;
  const says = [
    `${plural(total, 'message')}, ${nameOf(joined(all))}`,
    `${empty === 0 ? 'no month is' : empty === 1 ? '1 month is' : `${formatCount(empty)} months are`} without messages`,
    ...(undated === 0 ? [] : [`${plural(undated, 'message')} without a readable date`]),
    ...(undrawn === 0
      ? []
      : [`${plural(undrawn, 'message')} before or after ${nameOf(joined(drawn))} not in the chart`]),
  ].join('; ');
  return [
    svgChart({
      title: isChartByMonth ? 'By month' : isByYear ? 'By year' : 'By several years',
      level: 3,
      says: `${says}.`,
      shape: 'bars',
      columns: times.map((time) => ({
        label: nameOf(time),
        says: `${nameOf(time)}: ${plural(time.messages, 'message')}`,
        up: { most: time.messages, usual: time.messages },
      })),
      up: { name: 'messages', tone: 'calm' },
      axis: isChartByMonth ? 'month, in UTC' : isByYear ? 'year, in UTC' : 'years, in UTC',
      figure: formatCount,
      whole: true,
    }),
    dataTable(
      `Messages by ${isTableByMonth ? 'month' : 'year'}, as numbers`,
      [isTableByMonth ? 'month' : 'year', 'messages'],
      withGaps(rows).map((time) => [nameOf(time), time.messages === 0 ? 'none' : formatCount(time.messages)]),
    ),
  ];
}

/**
 * Returns the months without those far from all others: where the first and the last few messages are so far away that the chart
 * would show the others as one column, as wrong dates are. The table has them.
 */
function withoutFarMonths(months: ArchiveReport['messages']['by_month']): typeof months {
  const total = months.reduce((sum, { messages }) => sum + messages, 0);
  const few = total * MAX_SHARE_OF_FAR_MONTHS;
  let first = 0;
  for (let sum = months[0]?.messages ?? 0; sum <= few; sum += months[first]!.messages) first += 1;
  let last = months.length - 1;
  for (let sum = months[last]?.messages ?? 0; sum <= few; sum += months[last]!.messages) last -= 1;
  const near = months.slice(first, last + 1);
  const span = (list: typeof months): number =>
    monthNumber(list.at(-1)?.month ?? '') - monthNumber(list[0]?.month ?? '') + 1;
  return near.length > 0 && span(near) * MIN_FAR_SPAN <= span(months) ? near : months;
}

function nameOf({ first, last }: Time): string {
  return first === last ? first : `${first} to ${last}`;
}

/** Returns every month from the first to the last, also those without messages. */
function monthsBetween(months: ArchiveReport['messages']['by_month']): Time[] {
  const found = new Map(months.map(({ month, messages }) => [monthNumber(month), messages]));
  const first = monthNumber(months[0]?.month ?? '');
  const last = monthNumber(months.at(-1)?.month ?? '');
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const year = String(Math.floor((first + at) / 12)).padStart(4, '0');
    const name = `${year}-${String(((first + at) % 12) + 1).padStart(2, '0')}`;
    return { first: name, last: name, messages: found.get(first + at) ?? 0 };
  });
}

function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
}

function yearsOf(months: readonly Time[]): Time[] {
  const years = new Map<string, Time>();
  for (const { first, messages } of months) {
    const year = first.slice(0, 4);
    const before = years.get(year)?.messages ?? 0;
    years.set(year, { first: year, last: year, messages: before + messages });
  }
  return [...years.values()];
}

function joined(times: readonly Time[]): Time {
  return {
    first: times[0]?.first ?? '',
    last: times.at(-1)?.last ?? '',
    messages: times.reduce((sum, { messages }) => sum + messages, 0),
  };
}

/** Returns the times; those without messages that follow each other are one. */
function withGaps(times: readonly Time[]): Time[] {
  const rows: Time[][] = [];
  for (const time of times) {
    const before = rows.at(-1);
    if (time.messages === 0 && before?.[0]?.messages === 0) before.push(time);
    else rows.push([time]);
  }
  return rows.map(joined);
}
