// `arx doctor` against independently written services: what it finds out must be what the service is made to do.
import { describe, expect, test } from 'vitest';
import { ServiceReport, type ExaminedList, type Handling } from '../../src/contract/reports/service.ts';
import { arx } from '../support/command.ts';
import { TOKEN } from '../support/other-services/checks/check.ts';
import { errorsWithSuccess, interfaceErrors } from '../support/other-services/errors.ts';
import { startOtherService } from '../support/other-services/service.ts';
import type { Variant } from '../support/other-services/variant.ts';
import { STEADY } from '../support/other-services/variants.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PAST: Record<Variant['cursors']['after'], Handling> = {
  follows: 'honoured',
  refuses: 'refused',
  ignores: 'ignored',
};

/** What a list of this service does with cursors. */
function expectedCursors({ cursors, whole }: Variant): ExaminedList['cursors'] {
  const none = { ending_before: 'unseen', both: 'unseen', swapped: false } as const;
  if (whole) return { starting_after: 'ignored', ...none };
  // An id is not what it takes.
  if (cursors.opaque) return { starting_after: 'refused', ...none };
  return {
    starting_after: PAST[cursors.after],
    ending_before: PAST[cursors.before],
    both: PAST[cursors.both],
    swapped: false,
  };
}

/** What each list says of the largest page. It has more rows than any page may have. */
function expectedLimit({ limit, whole, cursors }: Variant): string {
  if (whole) return 'ignored';
  if (limit.above === 'refused') return 'refused';
  return cursors.opaque ? 'clamped or unseen' : 'clamped';
}

/** Services that differ in what is examined. The others differ in the names of fields alone. */
const EXAMINED = new Set([
  'plain',
  'singles',
  'refuses',
  'refuses-in-html',
  'ignores',
  'newest-first',
  'json-api',
  'nested',
  'edges',
  'bare',
  'descending',
  'forward-only',
  'forward-refuses',
  'one-cursor',
  'opaque-cursors',
  'no-cursors',
  'clamped-7',
  'no-messages',
  'refused-messages',
  'files-elsewhere',
]);

const SERVICES = STEADY.filter(({ name }) => EXAMINED.has(name));

test('all of them are there', () => {
  expect(SERVICES).toHaveLength(EXAMINED.size);
});

test('an error with status 200 is a refusal, and no page', async () => {
  const plain = STEADY.find(({ name }) => name === 'plain')!;
  const service = await startOtherService({ ...plain, errors: errorsWithSuccess });
  try {
    const { stdout } = await arx(
      tempFolder('doctor-other'),
      `doctor --base-url ${service.url} -o json --retries 0`,
      { env: { ARX_TOKEN: TOKEN } },
    );
    const { auth, lists } = ServiceReport.parse(JSON.parse(stdout));
    expect(auth).toEqual({ token: 'sent', accepted: 'yes', needed: 'unseen' });
    const refused = { answer: 'refused', status: 200, code: null };
    expect(lists.conversations).toMatchObject({ unknown_cursor: refused, misordered: refused });
  } finally {
    await service.close();
  }
});

describe.each(SERVICES.map((variant) => [variant.name, variant] as const))('%s', (_, variant) => {
  test('is found to be as it is', async () => {
    const service = await startOtherService(variant);
    try {
      const { exit, stdout } = await arx(
        tempFolder('doctor-other'),
        `doctor --base-url ${service.url} -o json --retries 0`,
        { env: { ARX_TOKEN: TOKEN } },
      );
      const report = ServiceReport.parse(JSON.parse(stdout));
      expect({ exit, outcome: report.outcome, stopped: report.stopped }).toEqual({
        exit: 0,
        outcome: 'examined',
        stopped: null,
      });
      expect(report.auth).toEqual({ token: 'sent', accepted: 'yes', needed: 'yes' });
      expect(report.requests).toBe(service.requests.length);
      expect(report.requests).toBeLessThanOrEqual(80);
      expect(service.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);

      // What arx must work around is explained, and nothing else.
      const strange = report.findings.filter(({ about }) => about !== 'installation');
      expect(strange.filter(({ verdict, meaning }) => (verdict === 'warn') !== (meaning !== null))).toEqual(
        [],
      );

      const { conversations, attachments, messages, events } = report.lists;
      expect(events.state).toBe('missing');
      for (const list of [conversations, attachments]) {
        expect(list).toMatchObject({ state: 'read', repeated: 'same', cursors: expectedCursors(variant) });
        expect(expectedLimit(variant)).toContain(list.page_limit.handling);
      }
      expect(messages.state).toBe(
        { answers: 'read', missing: 'missing' }[variant.messages as string] ?? 'failed',
      );
      const opening =
        variant.messages === 'missing'
          ? 'missing'
          : variant.messages === 'refuses all' || variant.unknownParameters === 'refused'
            ? 'refused'
            : 'ignored';
      expect(report.cross_check).toMatchObject({ usable: false, opening });
      const isReversed = variant.cursors.beforeOrder === 'reversed';
      if (conversations.cursors.ending_before === 'honoured') {
        expect(conversations.order.ending_before).toBe(isReversed ? 'descending' : 'ascending');
      }
      if (conversations.cursors.starting_after === 'honoured') {
        const status = variant.cursors.unknown === 'empty' ? 200 : variant.cursors.unknown;
        expect(conversations.unknown_cursor.status).toBe(status);
      }
      if (conversations.cursors.both === 'honoured') expect(conversations.misordered.status).toBe(409);
      expect(attachments.filters['origin_city']).toBe(variant.filters);
      expect(attachments.filters['source']).toBe(
        variant.unknownParameters === 'refused' ? 'refused' : 'ignored',
      );
      expect(report.records.attachment).toBe(variant.singles ? 'present' : 'missing');
      // The id of a message is known from the list of messages alone.
      expect(report.records.content_lore).toBe(messages.state === 'read' ? 'present' : 'unseen');
      if (variant.errors === interfaceErrors) expect(report.errors.other).toBe(0);
      else expect(report.errors.documented).toBe(0);
      if (variant.health === 'object')
        expect(report.files.address).toBe(variant.filesElsewhere ? 'untrusted' : 'available');
    } finally {
      await service.close();
    }
  });
});
