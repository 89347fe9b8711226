// `arx events reconcile` (P4): what was sent against what was acknowledged and what is there, each fault by its name, and mended.
import { DatabaseSync } from '@photostructure/sqlite';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ReconcileReport } from '../../../src/contract/reports/reconcile.ts';
import { arx } from '../../support/command.ts';
import { emptyData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(async () => {
  dir = tempFolder('reconcile');
  await emptyData(join(dir, 'data'));
});
beforeEach(async () => {
  const events = [1, 2, 3, 4, 5, 6].map((n) => JSON.stringify(flagged(`e${n}`)));
  writeFileSync(join(dir, 'in.ndjson'), events.join('\n'));
  await arx(dir, 'events send --file in.ndjson');
});

const flagged = (id: string, contact = id) => ({ id, type: 'contact.flagged', payload: { contact } });
const journal = () => join(dir, 'data/sent', readdirSync(join(dir, 'data/sent'))[0]!);
const tamper = (sql: string) => {
  const database = new DatabaseSync(join(dir, 'data/archive.db'));
  database.exec(sql);
  database.close();
};
const reconcile = async (flags = '') => {
  const ran = await arx(dir, `events reconcile --json ${flags}`);
  return { ...ran, report: ReconcileReport.parse(JSON.parse(ran.stdout)) };
};
/** Lines of the journal that speak of an event, taken out. */
const unsay = (type: string, id: string) => {
  const lines = readFileSync(journal(), 'utf8').split('\n');
  const kept = lines.filter((line) => !(line.includes(`"type":"${type}"`) && line.includes(`"${id}"`)));
  expect(kept.length).toBeLessThan(lines.length);
  writeFileSync(journal(), kept.join('\n'));
};
const journalled = (id: string, contact = id) =>
  appendFileSync(
    journal(),
    `${JSON.stringify({ type: 'sent', at: '2026-01-01T00:00:00Z', digest: id.padEnd(32, '0'), event: flagged(id, contact) })}\n`,
  );

test('where all is there, all is consistent', async () => {
  const { exit, stderr, report } = await reconcile();
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(report).toMatchObject({
    verdict: 'consistent',
    sent: 6,
    acknowledged: 6,
    indexed: 6,
    others: 0,
    findings: {},
  });
});

test('P4 accepted and not in the index: exit 8, and a replay sends just that, under its id', async () => {
  tamper(`DELETE FROM events WHERE id IN ('e2', 'e5')`);
  const found = await reconcile();
  expect(found.exit).toBe(8);
  expect(found.stderr).toContain('2 of 6 events: acknowledged but not in the index');
  expect(found.report).toMatchObject({
    verdict: 'inconsistent',
    indexed: 4,
    findings: { not_indexed: 2 },
    events: [
      { id: 'e2', finding: 'not_indexed' },
      { id: 'e5', finding: 'not_indexed' },
    ],
  });
  const { exit, report } = await reconcile('--replay');
  expect(exit).toBe(0);
  expect(report).toMatchObject({ verdict: 'consistent', replayed: 2, indexed: 6, others: 0 });
  expect(report.findings).toEqual({ sent_again: 2, out_of_order: 2 });
  const { stdout } = await arx(dir, 'events ls --json');
  expect(
    JSON.parse(stdout).data.map(({ id, deliveries }: { id: string; deliveries: number }) => [id, deliveries]),
  ).toEqual(['e1', 'e3', 'e4', 'e6', 'e2', 'e5'].map((id) => [id, 1]));
  expect((await reconcile('--replay')).report.replayed).toBe(0);
});

test('sent and never acknowledged: there after all, or not', async () => {
  unsay('acked', 'e3');
  expect(await reconcile()).toMatchObject({
    exit: 0,
    report: { verdict: 'consistent', acknowledged: 5, findings: { lost_acknowledgement: 1 } },
  });
  journalled('e7');
  expect(await reconcile()).toMatchObject({
    exit: 16,
    report: { sent: 7, findings: { lost_acknowledgement: 1, unacknowledged: 1 } },
  });
  expect(await reconcile('--replay')).toMatchObject({
    exit: 0,
    report: { indexed: 7, replayed: 1, findings: { lost_acknowledgement: 1, sent_again: 1 } },
  });
});

test('a replay that is refused names the event', async () => {
  journalled('e7');
  journalled('e8', '');
  const { exit, stderr, report } = await reconcile('--replay');
  expect(exit).toBe(7);
  expect(stderr).toContain('"message":"event e8: payload.contact: must not be empty');
  expect(report).toMatchObject({ replayed: 1, findings: { refused: 1 } });
});

test('refused, sent with another body, delivered again, in another order, and by others', async () => {
  await arx(dir, `events send contact.flagged --id e4 --payload '{"contact":"other"}'`);
  await arx(dir, `events send contact.flagged --id e5 --payload '{"contact":"e5"}'`);
  await arx(dir, `events send contact.flagged --id e9 --payload '{"contact":"e9"}' --journal other.ndjson`);
  await arx(dir, `events send contact.flagged --id e9 --payload '{"contact":"no"}'`);
  tamper(`UPDATE events SET n = 99 WHERE id = 'e1'`);
  const { exit, report, stderr } = await reconcile();
  expect(exit).toBe(7);
  expect(stderr).toContain('1 of 7 events: refused');
  expect(report).toMatchObject({ sent: 7, acknowledged: 6, indexed: 7, others: 0 });
  expect(report.events).toEqual([
    { id: 'e9', finding: 'refused' },
    { id: 'e4', finding: 'other_body' },
    { id: 'e4', finding: 'sent_again' },
    { id: 'e5', finding: 'sent_again' },
    { id: 'e5', finding: 'delivered_again' },
    { id: 'e1', finding: 'out_of_order' },
  ]);
  const other = await reconcile('--journal other.ndjson');
  expect(other).toMatchObject({ exit: 0, report: { sent: 1, indexed: 1, others: 6 } });
});

test('dead letters are named, and a replay has them tried again', async () => {
  tamper(
    `UPDATE events SET effect = 'dead', failures = 8, error = 'Error X', applied = NULL WHERE id = 'e6'`,
  );
  const dead = await arx(dir, 'events ls --effect dead --json');
  expect(JSON.parse(dead.stdout).data).toMatchObject([
    { id: 'e6', failures: 8, error: 'Error X', status: 'partial' },
  ]);
  expect(await reconcile()).toMatchObject({ exit: 3, report: { findings: { dead: 1 } } });
  expect(await reconcile('--replay')).toMatchObject({
    exit: 0,
    report: { replayed: 1, findings: { sent_again: 1 } },
  });
  expect(JSON.parse((await arx(dir, 'events ls --effect dead --json')).stdout).data).toEqual([]);
});

test('waiting and queued events are reported, and are no fault', async () => {
  const payload = '{"id":"msg_9","entry":"entry_9","sequence":1}';
  await arx(dir, `events send message.reordered --id w1 --payload '${payload}'`);
  tamper(`UPDATE events SET effect = 'queued' WHERE id = 'e6'`);
  expect(await reconcile()).toMatchObject({ exit: 0, report: { findings: { queued: 1, waiting: 1 } } });
});

test('for people: the verdict, the counts, the events', async () => {
  tamper(`DELETE FROM events WHERE id = 'e2'`);
  const { stdout } = await arx(dir, 'events reconcile');
  expect(stdout).toContain('inconsistent  6 events sent, 6 acknowledged, the service holds 5 of them\n');
  expect(stdout).toMatch(/acknowledged, and not listed by the service +1\n/);
  expect(stdout).toMatch(/e2 +acknowledged, and not listed by the service\n/);
});

test('without a journal there is nothing to hold against', async () => {
  const { exit, stderr } = await arx(dir, 'events reconcile --journal none.ndjson');
  expect(exit).toBe(6);
  expect(stderr).toContain('no event was sent with the journal');
});
