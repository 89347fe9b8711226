import { expect, test } from 'vitest';
import { ExitRecord } from '../../src/contract/reports/command.ts';
import { Fault } from '../../src/faults.ts';
import { formatFaults } from '../../src/format/fault-report.ts';

const plain = { json: false, debug: false };

test('one failure with all it can say', () => {
  const fault = new Fault('conflict', 'starting_after msg_9 is later than ending_before msg_2', {
    code: 'sequence_conflict',
    request_id: 'req_7',
    integrity: 0.42,
    kept: '3 pages in out.ndjson',
    hint: 'swap the cursors',
  });
  expect(formatFaults([fault], plain)).toBe(
    `arx: starting_after msg_9 is later than ending_before msg_2 [conflict, exit 7]
  service: code sequence_conflict · request_id req_7 · integrity 0.42
  kept: 3 pages in out.ndjson
  hint: swap the cursors
`,
  );
});

test('what the service said breaks between its parts on a terminal', () => {
  const detail = { code: 'sequence_conflict', request_id: 'req_75e4acbaf7562062b6350af5', integrity: 0.42 };
  expect(formatFaults([new Fault('conflict', 'no', detail)], { ...plain, columns: 40 })).toBe(
    `arx: no [conflict, exit 7]
  service: code sequence_conflict ·
request_id req_75e4acbaf7562062b6350af5
integrity 0.42
`,
  );
});

const lastLineOf = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

test('of many the most severe first, each listed', () => {
  const faults = [
    new Fault('not_found', 'no att_1', { request_id: 'req_1', integrity: 0 }),
    new Fault('integrity', 'att_2 differs', { hint: 'list again' }),
    new Fault('network', 'cannot reach x:1 (refused)', { hint: 'not shown' }),
  ];
  const lastLine = lastLineOf(formatFaults(faults, { json: true, debug: false }));
  expect(`${lastLine}\n`).toBe(
    `{"type":"exit","exit":12,"class":"integrity","message":"att_2 differs","next":"list again","others":[{"class":"not_found","message":"no att_1","request_id":"req_1","integrity":0},{"class":"network","message":"cannot reach x:1 (refused)"}]}
`,
  );
  expect(formatFaults(faults, plain)).toBe(
    `arx: att_2 differs [integrity, exit 12]
  hint: list again
arx: no att_1 [not_found] request_id req_1 integrity 0
arx: cannot reach x:1 (refused) [network]
`,
  );
});

test('never more than 20 lines', () => {
  const detail = { kept: 'k', hint: 'h', code: 'c' };
  for (const count of [1, 15, 16, 17, 1000]) {
    const faults = Array.from({ length: count }, (_, n) => new Fault('busy', `try ${n}`, detail));
    const lines = formatFaults(faults, plain).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    if (count === 1000) expect(lines.at(-1)).toBe('arx: and 985 more failures');
    const record = ExitRecord.parse(
      JSON.parse(lastLineOf(formatFaults(faults, { json: true, debug: false }))),
    );
    expect(1 + (record.others?.length ?? 0) + (record.more_failures ?? 0)).toBe(count);
  }
});

test('what no later run says again is among the lines that are shown', () => {
  const many = Array.from({ length: 100 }, (_, at) => new Fault('integrity', `att_${at}: other bytes`));
  const once = new Fault('partial', 'a kept file is withheld now', { isSaidOnce: true });
  const lines = formatFaults([...many, once], plain).split('\n');
  expect(lines[1]).toBe('arx: a kept file is withheld now [partial]');
});

test('hostile words of a service are shown as text, whole in JSON', () => {
  const message = `no \u001b[2J\n\u202e${'x'.repeat(1_000_000)}`;
  const fault = new Fault('not_found', message, { code: '\u0007', retryable: false });
  const text = formatFaults([fault], { json: true, debug: false });
  const last = lastLineOf(text);
  const [first] = text.split('\n');
  expect(first).toMatch(/^arx: no \\u\{1b\}\[2J\\n\\u\{202e\}x+…$/);
  expect(first?.length).toBe(500);
  const record: unknown = JSON.parse(last);
  expect(ExitRecord.parse(record)).toStrictEqual({
    type: 'exit',
    exit: 6,
    class: 'not_found',
    message,
    code: '\u0007',
    retryable: false,
  });
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('%s is of class signal', (signal, exit) => {
  expect(formatFaults([new Fault('interrupted', 'interrupted', { signal })], plain)).toBe(
    `arx: interrupted [signal, exit ${exit}]\n`,
  );
});

test('K1: a closed pipe is silent, and so is nothing', () => {
  expect(
    formatFaults([new Fault('interrupted', 'pipe', { signal: 'SIGPIPE' })], { json: true, debug: true }),
  ).toBe('');
  expect(formatFaults([], { json: true, debug: false })).toBe('');
});

test('a stack only when debugging, without what a foreign error quotes', () => {
  const cause = new SyntaxError('Unexpected token in "tok_secret\n    at tok_secret" is not valid JSON');
  const fault = new Fault('protocol', 'answer is not JSON', { cause: Object.assign(cause, { code: 'E_X' }) });
  expect(formatFaults([fault], plain)).toBe('arx: answer is not JSON [protocol, exit 11]\n');
  const text = formatFaults([fault], { json: false, debug: true });
  expect(text).toContain('  Fault\n    at ');
  expect(text).toContain('  caused by SyntaxError E_X\n    at ');
  expect(text).not.toContain('tok_secret');
});

test('failures of one text are one line with their number, in JSON one record', () => {
  const full = () => new Fault('disk', 'files: no space left on the device', { hint: 'make room' });
  const cut = () => new Fault('partial', 'cut');
  const faults = [full(), cut(), ...Array.from({ length: 14 }, full), cut()];
  expect(formatFaults(faults, plain)).toBe(
    `arx: files: no space left on the device [disk, exit 14] (15 times)
  hint: make room
arx: cut [partial] (2 times)
`,
  );
  expect(JSON.parse(lastLineOf(formatFaults(faults, { json: true, debug: false })))).toEqual({
    type: 'exit',
    exit: 14,
    class: 'disk',
    message: 'files: no space left on the device',
    times: 15,
    next: 'make room',
    others: [{ class: 'partial', message: 'cut', times: 2 }],
  });
});

test('what one failure says of the service is not that of another', () => {
  const refused = (id: string) => new Fault('busy', 'too busy', { request_id: id });
  expect(formatFaults([refused('req_1'), refused('req_2')], plain)).toBe(
    `arx: too busy [busy, exit 9]
  service: request_id req_1
arx: too busy [busy] request_id req_2
`,
  );
});

test('repeated failures that are not listed are counted, each', () => {
  const many = Array.from({ length: 40 }, (_, n) => new Fault('disk', `f${n % 20}: full`));
  const text = formatFaults(many, { json: true, debug: false });
  const lines = text.trimEnd().split('\n');
  expect([lines.length, lines[0], lines[1], lines.at(-2)]).toEqual([
    17,
    'arx: f0: full [disk, exit 14] (2 times)',
    'arx: f1: full [disk] (2 times)',
    'arx: and 10 more failures',
  ]);
  const record = ExitRecord.parse(JSON.parse(lastLineOf(text)));
  expect([record.times, record.others?.map(({ times }) => times), record.more_failures]).toEqual([
    2,
    Array.from({ length: 14 }, () => 2),
    10,
  ]);
});
