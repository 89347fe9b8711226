// Reports over a whole archive, as `arx report --json` prints them: a plain one, one with hostile texts, and a large one.
import type {
  ArchiveReport,
  FilesByValue,
  IntegrityCounts,
} from '../../src/contract/reports/whole-archive.ts';

const integrity = (rows: number): IntegrityCounts => ({
  lowest: rows === 0 ? null : 0.25,
  not_stated: 1,
  groups: Array.from({ length: 11 }, (_, at) => ({
    from: at / 10,
    to: Math.min(1, (at + 1) / 10),
    rows: at === 2 ? Math.floor(rows / 10) : at === 10 ? rows - Math.floor(rows / 10) : 0,
  })),
});

/** Returns files by these values; the last ones are withheld and absent. */
export function filesBy(names: readonly (string | null)[]): FilesByValue {
  return {
    values: names.map((value, at) => {
      const files = (names.length - at) * 7;
      const withheld = Math.floor(files / 3);
      const absent = Math.floor(files / 7);
      return { value, files, available: files - withheld - absent, withheld, absent, bytes: files * 1000 };
    }),
    others: { values: 12, rows: 34 },
  };
}

/** Returns a report with everything in it. `text` is in every place where text of an archive or of a service can be. */
export function archiveReport(text: string, change: Partial<ArchiveReport> = {}): ArchiveReport {
  return {
    version: 1,
    archive: `https://archive.example/${text}`,
    service: text,
    read_from: '2026-01-02T03:04:05.678Z',
    read_until: '2026-01-02T03:09:05.678Z',
    reader: { client_id: text, tier: text, scope: ['read:messages', text] },
    complete: false,
    lists: [
      { list: 'attachments', rows: 1234, complete: true, changed: 2, problem: null },
      { list: 'conversations', rows: 60, complete: true, changed: 0, problem: null },
      {
        list: 'messages',
        rows: 5000,
        complete: false,
        changed: 0,
        problem: { class: 'unstable', message: `a window would not settle ${text}` },
      },
      { list: 'sequence', rows: 5000, complete: true, changed: 0, problem: null },
    ],
    attachments: {
      total: 1234,
      available: 1000,
      withheld: 200,
      absent: 34,
      bytes: 123_456_789,
      cities: filesBy(['lisbon', text, 'oslo', null]),
      types: filesBy(['image/png', text]),
      sources: filesBy([text]),
    },
    conversations: { total: 60, withheld: 1 },
    messages: {
      total: 5000,
      withheld: 12,
      undated: 3,
      by_month: [
        { month: '2003-11', messages: 1500 },
        { month: '2003-12', messages: 1 },
        { month: '2004-05', messages: 3499 },
      ],
      sources: {
        values: [
          { value: text, messages: 4000 },
          { value: null, messages: 1000 },
        ],
        others: { values: null, rows: 9 },
      },
    },
    integrity: { attachments: integrity(1233), conversations: integrity(0), messages: integrity(4999) },
    sequence: {
      name: text,
      entries: 5000,
      compared: 4990,
      displaced: 31,
      ahead: 12,
      behind: 4,
      groups: Array.from({ length: 100 }, (_, at) => ({
        first: at * 50 + 1,
        last: (at + 1) * 50,
        displaced: at % 10 === 0 ? 3 : 0,
        ahead: at % 10 === 0 ? 12 : 0,
        behind: at % 20 === 0 ? 4 : 0,
      })),
    },
    verification: {
      dir: text,
      checked: 3,
      verdicts: {
        match: 1,
        mismatch: 1,
        missing: 0,
        extra: 1,
        withheld: 1,
        absent: 0,
        unreadable: 0,
        unverifiable: 0,
      },
      bytes: 4711,
      fixity: 'failed',
      completeness: 'incomplete',
      differing: [
        {
          path: text,
          id: 'att_1',
          verdict: 'mismatch',
          expected: 'ab'.repeat(32),
          actual: 'cd'.repeat(32),
          bytes: 3,
        },
        {
          path: `photos/${text}.jpg`,
          id: null,
          verdict: 'extra',
          expected: null,
          actual: 'cd'.repeat(32),
          bytes: 3,
        },
        {
          path: null,
          id: text,
          verdict: 'withheld',
          expected: null,
          actual: null,
          bytes: null,
          reason: text,
        },
      ],
      bag: {
        version: '1.0',
        encoding: 'UTF-8',
        algorithms: ['sha256'],
        payload_oxum: null,
        fetch: [],
        problems: [{ kind: 'integrity', what: text }],
      },
    },
    ...change,
  };
}

/** Returns a report of an archive with nothing in it. */
export function emptyReport(): ArchiveReport {
  const nothing = { values: [], others: { values: 0, rows: 0 } };
  const none = { ...integrity(0), not_stated: 0 };
  return archiveReport('nothing', {
    complete: true,
    lists: [],
    attachments: {
      total: 0,
      available: 0,
      withheld: 0,
      absent: 0,
      bytes: 0,
      cities: nothing,
      types: nothing,
      sources: nothing,
    },
    conversations: { total: 0, withheld: 0 },
    messages: { total: 0, withheld: 0, undated: 0, by_month: [], sources: nothing },
    integrity: { attachments: none, conversations: none, messages: none },
    sequence: null,
    verification: null,
  });
}
