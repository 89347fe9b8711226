import { expect, test } from 'vitest';
import { ExitRecord } from '../../src/contract/reports/command.ts';
import { ImportReport } from '../../src/contract/reports/archive.ts';
import { PullReport, VERDICTS, VerifyReport } from '../../src/contract/reports/files.ts';
import { WalkReport } from '../../src/contract/reports/walk.ts';

const SHA = 'a'.repeat(64);
const verdicts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdict === 'match' ? 1 : 0]));
const file = { path: 'a', id: 'att_1', verdict: 'match', expected: SHA, actual: SHA, bytes: 3 };
const walk = {
  version: 1,
  verdict: 'complete',
  conversations: 2,
  windows: 1,
  requests: 3,
  minimum_requests: 1,
  rereads: 1,
  disagreements: 0,
  drift: { first: 0.13, last: 0.21, max: 0.21 },
  confidence: 0.99,
  assumes: ['positions'],
  audit: { reads: 4, agreed: 4 },
  doubted_windows: [],
  cross_check: { mode: 'boundary', asked: 2, agreed: 2, unavailable: 0 },
  duplicates_removed: 0,
  late: [],
  frozen: { head: SHA, file: null },
  unstable: [{ after: 'conv_1', before: null, reads: 4 }],
};
const verify = {
  version: 1,
  checked: 1,
  verdicts,
  bytes: 3,
  files: [file],
  fixity: 'ok',
  completeness: 'complete',
};
const pull = { ...verify, files: [{ ...file, resumed_from: 0, attempts: 1 }] };
const imported = {
  version: 1,
  sources: [
    {
      path: 'a.mbox',
      kind: 'mbox',
      messages: { read: 6, stored: 3, known: 2, refused: 1 },
      attachments: { stored: 1, known: 0 },
      files: { seen: 3, read: 1, known: 1, refused: 0, skipped: 1 },
      formats: [{ format: 'mbox', files: 2 }],
    },
  ],
  conversations: 2,
  refused: [{ path: 'a.mbox', offset: 12, reason: 'too large' }],
  skipped: [{ path: 'a.mbox', offset: 0, bytes: 2, reason: 'belongs to no mail' }],
  notices: [{ path: 'a.json', notice: 'looks like a chat' }],
};
const exit = { type: 'exit', exit: 9, class: 'busy', message: 'the service is busy', retryable: true };

test.each([
  ['walk', WalkReport, walk],
  ['verify', VerifyReport, verify],
  ['pull', PullReport, pull],
  ['import', ImportReport, imported],
  ['exit', ExitRecord, exit],
])('%s: a whole report is accepted as it is', (_, schema, report) => {
  expect(schema.parse(report)).toEqual(report);
});

test.each([
  ['another version', WalkReport, { ...walk, version: 2 }],
  ['a third verdict', WalkReport, { ...walk, verdict: 'perhaps' }],
  ['confidence beyond 1', WalkReport, { ...walk, confidence: 1.01 }],
  ['a verdict not counted', VerifyReport, { ...verify, verdicts: { match: 1 } }],
  ['a verdict nobody knows', VerifyReport, { ...verify, files: [{ ...file, verdict: 'fine' }] }],
  ['a pull without attempts', PullReport, verify],
  [
    'read is not stored + known + refused',
    ImportReport,
    {
      ...imported,
      sources: [{ ...imported.sources[0], messages: { read: 7, stored: 3, known: 2, refused: 1 } }],
    },
  ],
  ['an exit code no process has', ExitRecord, { ...exit, exit: 256 }],
])('refused: %s', (_, schema, report) => {
  expect(schema.safeParse(report).success).toBe(false);
});
