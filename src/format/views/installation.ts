// How a service's health (interface 4.5) and this installation are shown: checks, settings, profiles, facts, paths.
import type { Health } from '../../contract/health.ts';
import type { Style } from '../terminal/styled-line.ts';
import { formatDuration } from '../numbers.ts';
import { bars } from '../plot/bar-chart.ts';
import { cellText, keyLines, type Column, type View } from './view.ts';
import { integrityColumn, statusStyle, ID } from './shared-columns.ts';

/** How long a service has run, as people see it. */
const UPTIME: Column<Health> = {
  name: 'uptime',
  of: ({ uptime_ms: ms }) => (ms === undefined ? undefined : formatDuration(ms)),
};

/** The health of a service (interface 4.5). */
export const healthView: View<Health> = {
  columns: [
    { name: 'status', of: (row) => row.status, style: (row) => statusStyle(row.status) },
    { name: 'service', of: (row) => row.service },
    { name: 'version', of: (row) => row.version },
    { name: 'time', of: (row) => row.time, instant: (row) => row.time },
    { name: 'database', of: (row) => row.database },
    { name: 'schema', of: (row) => row.schema },
    { name: 'read_only', of: (row) => row.read_only },
    { name: 'files_writable', of: (row) => row.files_writable },
    { name: 'uptime_ms', of: (row) => row.uptime_ms },
    { name: 'asset_url', of: (row) => row.asset_url, link: (row) => row.asset_url },
    { name: 'drift_ratio', of: (row) => row.drift_ratio },
    integrityColumn,
    {
      name: 'counts',
      of: (row) =>
        Object.entries(row.counts ?? {})
          .map(([name, count]) => `${name}=${count}`)
          .join(' '),
    },
  ],
  lines: (row, canvas) => [
    ...keyLines(
      healthView.columns
        .filter(({ name }) => name !== 'counts')
        .map((column) => (column.name === 'uptime_ms' ? UPTIME : column)),
      row,
      canvas,
    ),
    ...(row.counts === undefined ? [] : ['']),
    ...bars(
      Object.entries(row.counts ?? {}).map(([label, value]) => ({ label, value })),
      canvas,
    ),
  ],
};

const VERDICT_STYLES = new Map<string, Style>([
  ['ok', 'good'],
  ['warn', 'warn'],
  ['fail', 'bad'],
]);

/** A check of `arx doctor`. */
export const checkView: View<{ name: string; verdict: string; detail: string }> = {
  columns: [
    {
      name: 'verdict',
      of: (row) => row.verdict,
      style: (row) => VERDICT_STYLES.get(row.verdict),
      whole: true,
      importance: 'essential',
    },
    { name: 'check', of: (row) => row.name, minColumns: 24, importance: 'essential' },
    { name: 'detail', of: (row) => row.detail, minColumns: 30, importance: 'essential' },
  ],
};

/** A setting with its origin. */
export const settingView: View<{
  key: string;
  value?: string | number | boolean | null | undefined;
  origin: string;
}> = {
  columns: [
    { name: 'key', of: (row) => row.key, ...ID },
    {
      name: 'value',
      of: (row) => row.value,
      shown: ({ key, value }) => (key.endsWith('timeout') ? `${value} s` : cellText(value)),
      minColumns: 20,
      importance: 'essential',
      link: addressOf,
    },
    {
      name: 'origin',
      of: (row) => row.origin,
      style: (row) => (row.origin === 'default' ? 'dim' : undefined),
      whole: true,
    },
  ],
};

function addressOf({ value }: { value?: string | number | boolean | null | undefined }): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A profile. */
export const profileView: View<{ name: string; base_url?: string | null | undefined; current: boolean }> = {
  columns: [
    { name: 'profile', of: (row) => row.name, ...ID },
    { name: 'current', of: (row) => row.current, shown: (row) => (row.current ? '*' : ''), style: 'good' },
    {
      name: 'base_url',
      of: (row) => row.base_url,
      minColumns: 20,
      importance: 'essential',
      link: (row) => row.base_url,
    },
  ],
};

/** A fact about the interface. `origin` says whether it is documented or our choice. */
export const factView: View<{ section: string; topic: string; fact: string; origin: string }> = {
  columns: [
    { name: 'section', of: (row) => row.section, whole: true, importance: 'essential' },
    {
      name: 'origin',
      of: (row) => row.origin,
      style: (row) => (row.origin === 'documented' ? 'good' : 'warn'),
      whole: true,
    },
    { name: 'topic', of: (row) => row.topic, minColumns: 14 },
    { name: 'fact', of: (row) => row.fact, minColumns: 30, importance: 'essential' },
  ],
};

/** The folders of this installation. */
export const pathsView: View<{ config: string; tokens: string; archive: string }> = {
  columns: [
    { name: 'config', of: (row) => row.config },
    { name: 'tokens', of: (row) => row.tokens },
    { name: 'archive', of: (row) => row.archive },
  ],
};
