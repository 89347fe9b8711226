// A dashboard of Grafana for the metrics of a service: what a person who hosts one looks at, from requests down to the disk.

/** Expressions of PromQL with the names that their lines get, and what their values are. */
type Panel = {
  title: string;
  /** A unit of Grafana. */
  unit: string;
  /** What to do where it is high. */
  description?: string;
  lines: readonly (readonly [expression: string, legend: string])[];
};

/** Only the instances that are chosen on the page. */
const OWN = 'instance=~"$instance"';
const rate = (metric: string, more = ''): string =>
  `rate(${metric}{${OWN}${more === '' ? '' : `, ${more}`}}[$__rate_interval])`;
const gauge = (metric: string): string => `${metric}{${OWN}}`;
const quantile = (share: number): string =>
  `histogram_quantile(${share}, sum by (le) (${rate('arx_request_duration_seconds_bucket', 'port="api"')}))`;

const ROWS: readonly { title: string; panels: readonly Panel[] }[] = [
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests',
        unit: 'reqps',
        lines: [[`sum by (route) (${rate('arx_requests_total')})`, '{{route}}']],
      },
      {
        title: 'Errors',
        unit: 'reqps',
        description:
          'Status 0: the client left. 503: the database or the files cannot be reached, see the log.',
        lines: [
          [
            `sum by (route, status) (${rate('arx_requests_total', 'status=~"0|5.."')})`,
            '{{route}} {{status}}',
          ],
        ],
      },
      {
        title: 'Duration',
        unit: 's',
        lines: [
          [quantile(0.5), 'half'],
          [quantile(0.95), '95 %'],
          [quantile(0.99), '99 %'],
        ],
      },
      {
        title: 'Mean duration by route',
        unit: 's',
        lines: [
          [
            `sum by (route) (${rate('arx_request_duration_seconds_sum')}) / sum by (route) (${rate('arx_request_duration_seconds_count')})`,
            '{{route}}',
          ],
        ],
      },
      {
        title: 'In progress',
        unit: 'short',
        lines: [[gauge('arx_requests_in_flight'), '{{instance}} {{port}}']],
      },
      {
        title: 'Bytes sent',
        unit: 'Bps',
        lines: [[rate('arx_response_bytes_total'), '{{instance}} {{port}}']],
      },
      {
        title: 'Cached responses',
        unit: 'percentunit',
        description: 'Low while an import or events write: each commit empties the cache.',
        lines: [
          [
            `sum(${rate('arx_response_cache_total', 'result="hit"')}) / sum(${rate('arx_response_cache_total')})`,
            'from the cache',
          ],
        ],
      },
    ],
  },
  {
    title: 'Limits of a process',
    panels: [
      { title: 'Connections', unit: 'short', lines: [[gauge('arx_connections'), '{{instance}} {{port}}']] },
      {
        title: 'New connections',
        unit: 'cps',
        lines: [[rate('arx_connections_total'), '{{instance}} {{port}}']],
      },
      {
        title: 'Turned away',
        unit: 'ops',
        description: 'Connections and requests over a limit: arx help hosting, Limits.',
        lines: [[`sum by (reason) (${rate('arx_turned_away_total')})`, '{{reason}}']],
      },
      {
        title: 'Delay of the event loop',
        unit: 's',
        description: 'One process uses one core. Where this grows, add another one.',
        lines: [[gauge('nodejs_eventloop_lag_seconds'), '{{instance}} {{quantile}}']],
      },
      { title: 'Cores', unit: 'short', lines: [[rate('process_cpu_seconds_total'), '{{instance}}']] },
      { title: 'Memory', unit: 'bytes', lines: [[gauge('process_resident_memory_bytes'), '{{instance}}']] },
      { title: 'Descriptors', unit: 'short', lines: [[gauge('process_open_fds'), '{{instance}}']] },
      {
        title: 'Lines that the log lost',
        unit: 'ops',
        lines: [[rate('arx_log_lines_lost_total'), '{{instance}}']],
      },
    ],
  },
  {
    title: 'Events',
    panels: [
      {
        title: 'Events to apply',
        unit: 'short',
        lines: [[`max by (effect) (${gauge('arx_events')})`, '{{effect}}']],
      },
      {
        title: 'Oldest event to apply',
        unit: 's',
        description: 'Grows where events arrive faster than they are applied.',
        lines: [[`max(${gauge('arx_events_oldest_queued_seconds')})`, 'age']],
      },
    ],
  },
  {
    title: 'Archive',
    panels: [
      { title: 'Records', unit: 'short', lines: [[`max by (kind) (${gauge('arx_records')})`, '{{kind}}']] },
      {
        title: 'New records a second',
        unit: 'short',
        lines: [[`max by (kind) (deriv(arx_records{${OWN}}[$__rate_interval]))`, '{{kind}}']],
      },
      {
        title: 'Size of the database',
        unit: 'bytes',
        lines: [[`max(${gauge('arx_database_bytes')})`, 'database']],
      },
      {
        title: 'Free disk for files',
        unit: 'bytes',
        lines: [[gauge('arx_disk_free_bytes'), '{{instance}}']],
      },
      {
        title: 'Connections to the database',
        unit: 'short',
        description: 'Requests that wait: the database is slow, or its server lets in too few connections.',
        lines: [[`sum by (state) (${gauge('arx_database_connections')})`, '{{state}}']],
      },
      {
        title: 'Database takes writes',
        unit: 'short',
        lines: [[gauge('arx_database_takes_writes'), '{{instance}}']],
      },
      {
        title: 'Requests to the bucket',
        unit: 'reqps',
        lines: [[`sum by (outcome) (${rate('arx_bucket_requests_total')})`, '{{outcome}}']],
      },
      {
        title: 'Running since',
        unit: 'dateTimeAsIso',
        lines: [
          [
            `process_start_time_seconds{${OWN}} * 1000 * on (instance) group_left (version) arx_build_info`,
            '{{instance}} {{version}}',
          ],
        ],
      },
    ],
  },
];

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const WIDTH = 8;
const HEIGHT = 7;
const COLUMNS = 24 / WIDTH;

/** Returns the panels in the form of Grafana, each at its place below the ones before it. */
function panels(): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels: own } of ROWS) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    });
    y += 1;
    for (const [at, { title: name, unit, description = '', lines }] of own.entries())
      placed.push({
        id: placed.length + 1,
        type: 'timeseries',
        title: name,
        description,
        datasource: DATASOURCE,
        gridPos: { x: (at % COLUMNS) * WIDTH, y: y + Math.floor(at / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
        fieldConfig: { defaults: { unit, min: unit === 'dateTimeAsIso' ? null : 0 }, overrides: [] },
        options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
        targets: lines.map(([expr, legendFormat], line) => ({
          refId: String.fromCharCode(65 + line),
          datasource: DATASOURCE,
          expr,
          legendFormat,
        })),
      });
    y += Math.ceil(own.length / COLUMNS) * HEIGHT;
  }
  return placed;
}

/** The dashboard as JSON, for the import of Grafana (schema 39, Grafana 10 and newer). */
export const DASHBOARD_JSON = `${JSON.stringify(
  {
    uid: 'arx-service',
    title: 'arx',
    tags: ['arx'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
        {
          name: 'instance',
          type: 'query',
          label: 'Instance',
          datasource: DATASOURCE,
          query: { query: 'label_values(arx_build_info, instance)', refId: 'instance' },
          definition: 'label_values(arx_build_info, instance)',
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
          refresh: 2,
        },
      ],
    },
    panels: panels(),
  },
  null,
  2,
)}\n`;
