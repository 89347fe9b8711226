// Events that share a transaction: the same answers, rows and effects as those that are stored and applied one after the other.
import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRateLimiter } from '../../../../src/service/rules/rate-limiter.ts';
import { applyEvents, type NumberedEvent } from '../../../../src/service/store/events/effects.ts';
import { storeEvents } from '../../../../src/service/store/events/store-events.ts';
import type { Statements } from '../../../../src/service/store/sql/database.ts';
import { sampleArchive, START, type Sample } from '../../../support/archive.ts';
import { accepted, moved, type Sent } from '../../../support/event.ts';
import { runs } from '../../../support/runs.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 2, messages: 3, attachments: 3, redactEvery: 0 });
});
afterAll(() => sample.close());

/** Runs `work` in a transaction that leaves nothing behind. What is sent with a commit is sent at once. */
async function undone<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
  const undo = new Error('undo');
  let result: { value: T } | undefined;
  const run = sample.archive.database.transaction(async (statements) => {
    result = { value: await work({ ...statements, last: undefined }) };
    throw undo;
  });
  await expect(run).rejects.toBe(undo);
  return result!.value;
}

const flagged = (id: string, contact: string): Sent => ({
  id,
  type: 'contact.flagged',
  payload: { contact },
});
const reclassified = (id: string, payload: Record<string, unknown>): Sent => ({
  id,
  type: 'attachment.reclassified',
  payload,
});

/** Few ids and few values: the same event again, another one with its id, and events that write the same record. */
const sent = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 7 }))
  .map(([n, what]): Sent => {
    const id = `evt_${n}`;
    const record = (what % 3) + 1;
    const kinds = [
      () => flagged(id, 'a'),
      () => flagged(id, `c${what % 2}`),
      () => moved(id, record, (what * 5) % 7),
      () => moved(id, 99, what),
      () => reclassified(id, { id: `att_${record}`, source: `s${what % 2}` }),
      () => reclassified(id, { id: `att_${record}`, decorative_layer: what % 2 === 0 }),
      () => reclassified(id, { id: `att_${record}`, source: `s${what}`, decorative_layer: true }),
      () => ({ id, type: 'mirror.detected', payload: { layer: `l${what % 2}` } }),
    ];
    return kinds[(n + what) % kinds.length]!();
  });
const group = fc.array(sent, { minLength: 1, maxLength: 20 });

const store = async (
  statements: Statements,
  events: readonly Sent[],
  { mirrors = createRateLimiter(3), mayApply = true } = {},
) => {
  const { errors } = await storeEvents(statements, events.map(accepted), { now: START, mirrors, mayApply });
  return errors.map((error) => error?.code);
};
const queued = async (statements: Statements): Promise<NumberedEvent[]> => {
  const rows = await statements.all<{ n: number; id: string; type: string; payload: string }>(
    `SELECT n, id, type, payload FROM events WHERE effect = 'queued' ORDER BY n`,
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as unknown }) as NumberedEvent);
};
const rowsOf = async (statements: Statements) => ({
  events: await statements.all('SELECT * FROM events ORDER BY n'),
  messages: await statements.all('SELECT n, sequence, moved_by, failed FROM messages ORDER BY n'),
  attachments: await statements.all('SELECT * FROM attachments ORDER BY n'),
});

property.prop([group, group, fc.subarray([1, 2, 3, 4, 5, 6, 7, 8, 9])], {
  numRuns: runs({ quick: 60, long: 300 }),
})(
  'a group of any events equals the same events one after the other, applied at once or queued',
  async (before, events, dead) => {
    /** Events of which some are applied already, and some are dead. */
    const begin = async (statements: Statements) => {
      await store(statements, before);
      await applyEvents(statements, await queued(statements));
      for (const n of dead)
        await statements.run(
          `UPDATE events SET effect = 'dead', failures = 8, error = 'x', applied = NULL, message = NULL,
          attachment = NULL WHERE id = $1 AND effect = 'recorded'`,
          [`evt_${n}`],
        );
    };
    const together = (mayApply: boolean) =>
      undone(async (statements) => {
        await begin(statements);
        const answers = await store(statements, events, { mayApply });
        await applyEvents(statements, await queued(statements));
        return { answers, ...(await rowsOf(statements)) };
      });
    const alone = (mayApply: boolean) =>
      undone(async (statements) => {
        await begin(statements);
        const answers: unknown[] = [];
        const mirrors = createRateLimiter(3);
        for (const event of events)
          answers.push(...(await store(statements, [event], { mirrors, mayApply })));
        for (const event of await queued(statements)) await applyEvents(statements, [event]);
        return { answers, ...(await rowsOf(statements)) };
      });
    const [atOnce, later] = [await together(true), await together(false)];
    expect(atOnce).toEqual(await alone(true));
    expect(later).toEqual(await alone(false));
    // A dead event that is delivered again comes before those that are queued with it, and after those that are applied at once.
    const withoutOrder = ({ events: rows, ...rest }: typeof later) => ({
      ...rest,
      events: rows.map((row) => ({ ...row, applied: row['applied'] !== null })),
    });
    expect(withoutOrder(atOnce)).toEqual(withoutOrder(later));
  },
);

/** Counts the statements by which events are stored and applied. */
async function statementsFor(events: readonly Sent[], known: readonly Sent[]): Promise<number> {
  return undone(async (statements) => {
    await store(statements, known);
    await applyEvents(statements, await queued(statements));
    let count = 0;
    const counted = Object.fromEntries(
      (['all', 'get', 'run', 'allIn'] as const).map((name) => [
        name,
        statements[name] &&
          ((...given: Parameters<Statements['run']>) => {
            count += 1;
            return (statements[name] as Statements['run'])(...given);
          }),
      ]),
    );
    const watched = { ...statements, ...counted } as Statements;
    await store(watched, events);
    await applyEvents(watched, await queued(statements));
    return count;
  });
}

test('known and superseding events cost as many statements as one of them', async () => {
  const many = <T>(make: (n: number) => T) => Array.from({ length: 6 }, (_, n) => make(n));
  const first = many((n) => moved(`first_${n}`, n + 1, n));
  const later = many((n) => moved(`later_${n}`, n + 1, n + 3));
  expect(await statementsFor(first, first)).toBe(await statementsFor(first.slice(0, 1), first));
  expect(await statementsFor(later, first)).toBe(await statementsFor(later.slice(0, 1), first));
});

test('an event is applied at once, unless another one is queued before it', async () => {
  const outcomes = await undone(async (statements) => {
    await statements.run(
      `INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect) VALUES (1, 'evt_dead', 'contact.flagged',
        '{"contact":"a"}', $1, 0, 1, 'dead')`,
      [accepted(flagged('evt_dead', 'a')).bodySha256],
    );
    const effects: unknown[] = [];
    for (const { events, mayApply } of [
      { events: [flagged('evt_2', 'a'), moved('evt_3', 1, 2), moved('evt_4', 99, 2)], mayApply: true },
      { events: [flagged('evt_5', 'a'), moved('evt_6', 1, 3), flagged('evt_7', 'a')], mayApply: false },
      { events: [moved('evt_8', 1, 4)], mayApply: true },
    ]) {
      const { hasQueued } = await storeEvents(statements, events.map(accepted), {
        now: START,
        mirrors: createRateLimiter(3),
        mayApply,
      });
      effects.push(hasQueued);
    }
    await applyEvents(statements, await queued(statements));
    await store(statements, [moved('evt_9', 1, 5), flagged('evt_dead', 'a'), moved('evt_10', 1, 6)]);
    effects.push(await statements.all('SELECT n, effect, applied FROM events ORDER BY n'));
    return effects;
  });
  expect(outcomes).toEqual([
    false,
    true,
    true,
    [
      { n: 1, effect: 'queued', applied: null },
      { n: 2, effect: 'recorded', applied: 1 },
      { n: 3, effect: 'superseded', applied: 2 },
      { n: 4, effect: 'waiting', applied: null },
      { n: 5, effect: 'recorded', applied: 3 },
      { n: 6, effect: 'superseded', applied: 4 },
      { n: 7, effect: 'recorded', applied: 5 },
      { n: 8, effect: 'superseded', applied: 6 },
      { n: 9, effect: 'applied', applied: 7 },
      { n: 10, effect: 'queued', applied: null },
    ],
  ]);
});
