// Checks of walks: the exact list, its frozen log, and what is done with the log.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  must,
  mustEqual,
  mustList,
  mustRefuse,
  mustSucceed,
  refusalsOf,
  saidBy,
  type Check,
} from './check.ts';

/** Commands that read a frozen log. */
const OFFLINE = [
  'conversations verify walk1',
  'conversations plot walk1',
  'conversations diff walk1 walk2',
] as const;

/** Checks of walks. */
export const WALK_CHECKS: readonly Check[] = [
  {
    commands: ['conversations walk'],
    name: 'conversations walk: the exact list',
    async run({ arx, truth, variant }) {
      mustList(await arx('conversations walk -o ndjson'), truth.threads, refusalsOf(variant));
    },
  },
  {
    commands: ['conversations walk'],
    name: 'conversations walk: in pages of ten',
    async run({ arx, truth, variant }) {
      const ran = await arx('conversations walk --limit 10 --cross-check off -o ndjson');
      mustList(ran, truth.threads, refusalsOf(variant));
    },
  },
  {
    commands: ['conversations walk'],
    name: 'conversations walk: a range',
    async run({ arx, truth, variant }) {
      const [after, before] = [truth.threads[40], truth.threads[90]];
      const ran = await arx(`conversations walk --after ${after} --before ${before} -o ndjson`);
      const mayRefuse = variant.whole ? [3, 11] : refusalsOf(variant);
      mustList(ran, truth.threads.slice(41, 90), mayRefuse);
    },
  },
  {
    commands: ['conversations walk'],
    name: 'conversations walk: every row to be confirmed by /messages',
    async run({ arx, truth, variant }) {
      const ran = await arx('conversations walk --cross-check full -o ndjson');
      mustList(ran, truth.threads, [3, 8, 11]);
      // No service here knows what an opening is, so nothing can confirm the order of the rows.
      must(
        ran.exit !== 0 || /cross-check|\/messages/.test(ran.stderr),
        'exit 0 and not a word about the cross-check',
      );
      must(ran.exit !== 11 || variant.cursors.opaque || variant.whole, saidBy(ran));
    },
  },
  {
    commands: ['conversations walk', 'conversations verify', 'conversations plot', 'conversations diff'],
    name: 'conversations walk: frozen, checked, drawn, compared and resumed',
    async run({ arx, truth, variant, dir }) {
      const first = await arx('conversations walk --freeze walk1 --report walk1.json -o ndjson');
      mustList(first, truth.threads, refusalsOf(variant));
      if (first.exit !== 0) return;
      const { verdict, requests } = JSON.parse(readFileSync(join(dir, 'walk1.json'), 'utf8')) as {
        verdict: string;
        requests: number;
      };
      must(verdict === 'complete', `exit 0 with verdict ${verdict}`);
      must(requests < 400, `${requests} requests`);
      mustList(await arx('conversations walk --freeze walk2 -o ndjson'), truth.threads, refusalsOf(variant));
      for (const line of OFFLINE) {
        const ran = await arx(line);
        must(ran.exit === 0, `${line.replace(/ walk.*/, '')}: ${saidBy(ran)}`);
      }
      const again = await arx('conversations walk --freeze walk1 --resume -o ndjson');
      mustList(again, truth.threads, refusalsOf(variant));
    },
  },
  {
    commands: ['walk'],
    name: 'walk: a list by its address',
    async run({ arx, service, truth, variant }) {
      const ran = await arx(`walk ${service.url}/v1/conversations -o ndjson`);
      if (ran.exit !== 0) return mustRefuse(ran, [2, 3, 8, 11]);
      // Rows come as received, so the id is where the service has it.
      const ids = ran.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .map((row) => String(row['id'] ?? row[variant.records.idField]));
      mustEqual(ids, truth.threads, 'rows');
    },
  },
  {
    commands: ['walk'],
    name: 'walk: a list that needs another token',
    async run({ arx, service }) {
      mustRefuse(await arx(`walk ${service.url}/v1/conversations`, { token: 'wrong' }), [4]);
    },
  },
  {
    commands: ['conversations walk'],
    name: 'conversations walk: with its summary as JSON',
    async run({ arx, truth, variant }) {
      const ran = await arx('conversations walk --json');
      if (refusalsOf(variant).includes(ran.exit)) return;
      mustSucceed(ran);
      const { data, summary } = JSON.parse(ran.stdout) as {
        data: { id: string }[];
        summary: { complete: boolean };
      };
      mustEqual(
        data.map(({ id }) => id),
        truth.threads,
        'rows',
      );
      must(summary.complete, 'exit 0 and not complete');
    },
  },
];
