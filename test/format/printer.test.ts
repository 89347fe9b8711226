import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Output } from '../../src/format/outputs.ts';
import { createPrinter, type PrinterOptions } from '../../src/format/printer.ts';
import { summaryLine } from '../../src/format/summary-line.ts';
import { escapeJson } from '../../src/format/terminal/escape.ts';
import type { View } from '../../src/format/views/view.ts';
import { fakeSink } from './fake-sink.ts';

type Row = { id: string; name: string; big?: number; extra?: unknown };
const view: View<Row> = {
  columns: [
    { name: 'id', of: (row) => row.id, style: 'id' },
    { name: 'the_name', of: (row) => row.name },
    { name: 'big', of: (row) => row.big, align: 'right', shown: (row) => `${row.big ?? ''}!` },
    { name: 'secret', of: () => 'detail', detail: true },
  ],
};
const rows: Row[] = [
  { id: 'a', name: 'x\ty\n\u001b[2J', big: 1, extra: { deep: [1, null] } },
  { id: 'b', name: '漢\u202e' },
];
const list = { status: 'partial', rows, summary: () => ({ rows: 2, withheld: 1, complete: false }) };

type Options = Partial<Omit<PrinterOptions, 'fields'>> & {
  isTTY?: boolean;
  fields?: readonly string[];
  selected?: PrinterOptions['fields'];
};

function printer(output: Output, { fields, selected, ...options }: Options = {}) {
  const stdout = fakeSink({ isTTY: options.isTTY ?? false });
  const stderr = fakeSink();
  const print = createPrinter({
    stdout,
    stderr,
    output,
    color: false,
    unicode: true,
    columns: 80,
    quiet: false,
    ...options,
    fields: selected ?? fields?.map((path) => ({ name: path, path, isKnown: path !== 'nowhere' })),
  });
  return { print, stdout, stderr };
}

async function* failing(count: number): AsyncGenerator<Row> {
  for (let n = 0; n < count; n += 1) yield { id: `r${n}`, name: 'n' };
  throw new Error('the source broke');
}

describe('a list of which all rows were asked for', () => {
  const whole = { ...list, isAll: true };
  const summary = 'arx: 2 rows · 1 withheld · not complete · status partial\n';
  test.each<[Output, boolean, boolean, boolean, string]>([
    ['ndjson', false, true, true, summary],
    ['tsv', false, true, true, summary],
    ['json', false, true, true, summary],
    // A page says itself what follows, and a script reads the document or the exit code.
    ['ndjson', false, true, false, ''],
    ['ndjson', false, false, true, ''],
    ['ndjson', true, true, true, ''],
  ])('%s: stdout a terminal %s, stderr %s, all rows %s', async (output, isTTY, isSeen, isAll, said) => {
    const stderr = fakeSink({ isTTY: isSeen });
    const { print } = printer(output, { isTTY, stderr });
    await print.list(view, { ...whole, isAll });
    expect(stderr.text).toBe(said);
    const quiet = fakeSink({ isTTY: isSeen });
    await printer(output, { isTTY, stderr: quiet, quiet: true }).print.list(view, whole);
    expect(quiet.text).toBe('');
  });
});

describe('list', () => {
  test('json in a pipe: one compact document with the wire rows', async () => {
    const { print, stdout, stderr } = printer('json');
    await print.list(view, { ...list, extra: { has_more: false } });
    expect(stdout.text).toBe(
      '{"status":"partial","data":[{"id":"a","name":"x\\ty\\n\\u001b[2J","big":1,"extra":{"deep":[1,null]}},' +
        '{"id":"b","name":"漢\u202e"}],"has_more":false,"summary":{"rows":2,"withheld":1,"complete":false}}\n',
    );
    expect(stderr.text).toBe('');
  });

  test('json on a terminal: the same value, indented, nothing that acts on the screen', async () => {
    const { print, stdout } = printer('json', { isTTY: true });
    await print.list(view, { ...list, rows: rows.slice(1) });
    expect(stdout.text).toBe(`{
  "status": "partial",
  "data": [
    {
      "id": "b",
      "name": "漢\\u202e"
    }
  ],
  "summary": {
    "rows": 2,
    "withheld": 1,
    "complete": false
  }
}
`);
  });

  test('json: no rows, late status, no status', async () => {
    const late = printer('json');
    await late.print.list(view, { status: () => 'stable', rows: [], summary: () => ({}) });
    expect(late.stdout.text).toBe('{"data":[],"status":"stable","summary":{}}\n');
    const none = printer('json', { isTTY: true });
    await none.print.list(view, { rows: [], summary: () => ({}) });
    expect(JSON.parse(none.stdout.text)).toStrictEqual({ data: [], summary: {} });
  });

  test.each([false, true])(
    'json: a failure later ends the document as not complete (terminal: %s)',
    async (isTTY) => {
      const { print, stdout } = printer('json', { isTTY });
      const broken = print.list(view, { rows: failing(2), summary: () => ({ rows: 2, complete: true }) });
      await expect(broken).rejects.toThrow('the source broke');
      expect(JSON.parse(stdout.text)).toMatchObject({
        data: [{ id: 'r0' }, { id: 'r1' }],
        summary: { rows: 2, complete: false },
      });
    },
  );

  test.each(['json', 'ndjson', 'tsv', 'table'] as const)(
    '%s: a failure before the first row leaves stdout empty',
    async (output) => {
      const { print, stdout } = printer(output);
      await expect(print.list(view, { rows: failing(0), summary: () => ({}) })).rejects.toThrow(
        'the source broke',
      );
      expect(stdout.text).toBe('');
    },
  );

  test.each(['ndjson', 'tsv', 'table'] as const)('%s: rows before a failure are written', async (output) => {
    const { print, stdout } = printer(output);
    await expect(print.list(view, { rows: failing(3), summary: () => ({}) })).rejects.toThrow(
      'the source broke',
    );
    expect(stdout.text).toContain('r2');
  });

  test('ndjson: one record a line', async () => {
    const { print, stdout } = printer('ndjson');
    await print.list(view, list);
    expect(
      stdout.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toStrictEqual(rows);
  });

  test('ndjson is written as soon as the source waits', async () => {
    const { print, stdout } = printer('ndjson');
    let go = (): void => {};
    async function* slow(): AsyncGenerator<Row> {
      yield { id: 'a', name: '1' };
      yield { id: 'b', name: '2' };
      await new Promise<void>((resolve) => (go = resolve));
      yield { id: 'c', name: '3' };
    }
    const done = print.list(view, { rows: slow(), summary: () => ({}) });
    while (stdout.writes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.writes).toStrictEqual(['{"id":"a","name":"1"}\n{"id":"b","name":"2"}\n']);
    go();
    await done;
    expect(stdout.writes).toHaveLength(2);
  });

  test('ndjson of many rows goes out in large pieces', async () => {
    const { print, stdout } = printer('ndjson');
    await print.list(view, {
      rows: Array.from({ length: 10_000 }, (_, n) => ({ id: `r${n}`, name: 'n' })),
      summary: () => ({}),
    });
    expect(stdout.text.split('\n')).toHaveLength(10_001);
    expect(stdout.writes.length).toBeLessThan(20);
  });

  test('a stream that fails ends the source', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Row> {
      try {
        for (;;) yield { id: 'a', name: 'x'.repeat(1000) };
      } finally {
        isClosed = true;
      }
    }
    const stdout = { isTTY: false, columns: undefined, write: () => Promise.reject(new Error('EPIPE')) };
    const { print } = printer('ndjson', { stdout });
    await expect(print.list(view, { rows: endless(), summary: () => ({}) })).rejects.toThrow('EPIPE');
    expect(isClosed).toBe(true);
  });

  test('tsv: no header, no colour, whole values, one row a line', async () => {
    const { print, stdout, stderr } = printer('tsv', { color: true, columns: 10 });
    await print.list(view, list);
    expect(stdout.text).toBe('a\tx\\ty\\n\\u{1b}[2J\t1\nb\t漢\\u{202e}\t\n');
    expect(stderr.text).toBe('');
  });

  test('table: with its summary on stderr', async () => {
    const { print, stdout, stderr } = printer('table');
    await print.list(view, list);
    expect(stdout.text).toBe(
      [
        'ID  THE NAME         BIG',
        '──  ───────────────  ───',
        'a   x\\ty\\n\\u{1b}[2J   1!',
        'b   漢\\u{202e}         !',
        '',
      ].join('\n'),
    );
    expect(stderr.text).toBe('2 rows · 1 withheld · not complete · status partial\n');
    const quiet = printer('table', { quiet: true });
    await quiet.print.list(view, list);
    expect(quiet.stderr.text).toBe('');
  });

  test.each([40, 60, 80, 100, 120, 200])(
    'table: a summary breaks between its parts in %i columns',
    async (columns) => {
      const stderr = fakeSink({ isTTY: true, columns });
      const facts = ['rows', 'windows', 'requests', 'disagreements', 'withheld', 'unstable gaps'];
      const summary = (): Record<string, number> => Object.fromEntries(facts.map((fact) => [fact, 1234567]));
      await printer('table', { stderr }).print.list(view, { ...list, summary });
      const lines = stderr.text.trimEnd().split('\n');
      expect(lines.join(' ')).toBe(summaryLine({ ...list, summary }));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      for (const line of lines.slice(0, -1)) expect(line).toMatch(/ ·$/);
    },
  );

  test('table in colour', async () => {
    const { print, stdout } = printer('table', { color: true });
    await print.list(view, { ...list, rows: [{ id: 'a', name: 'n' }] });
    expect(stdout.text).toBe(
      '\u001b[1mID\u001b[22m  \u001b[1mTHE NAME\u001b[22m  \u001b[1mBIG\u001b[22m\n──  ────────  ───\n\u001b[36ma\u001b[39m   n           !\n',
    );
  });

  test.each([
    [
      'json',
      '{"status":"partial","data":[{"extra":{"deep":[1,null]},"id":"a"},{"extra":null,"id":"b"}],"summary":{}}\n',
    ],
    ['ndjson', '{"extra":{"deep":[1,null]},"id":"a"}\n{"extra":null,"id":"b"}\n'],
    ['tsv', '1,\ta\n\tb\n'],
    ['table', 'EXTRA.DEEP  ID\n──────────  ──\n1,          a\n            b\n'],
  ] as const)('--fields in %s', async (output, expected) => {
    const { print, stdout, stderr } = printer(output, { fields: ['extra.deep', 'id'], quiet: true });
    await print.list(view, { ...list, summary: () => ({}) });
    expect(stdout.text).toBe(expected);
    expect(stderr.text).toBe('');
  });

  test.each(['json', 'ndjson', 'tsv', 'table'] as const)(
    '--fields in %s warns of a field that no row has',
    async (output) => {
      const { print, stderr } = printer(output, { fields: ['id', 'na\u001bme'], quiet: true });
      await print.list(view, list);
      expect(stderr.text).toBe('');
      await print.warnOfFields();
      expect(stderr.text).toBe('arx: warning: no record has the field na\\u{1b}me\n');
    },
  );

  test.each(['json', 'ndjson', 'csv', 'tsv', 'table'] as const)(
    '--fields in %s refuses a field that neither the schema nor a row has before the first row',
    async (output) => {
      const { print, stdout } = printer(output, { fields: ['id', 'nowhere'] });
      await expect(print.list(view, list)).rejects.toMatchObject({ kind: 'usage' });
      await expect(print.record(view, rows[0] as Row)).rejects.toMatchObject({ kind: 'usage' });
      await expect(print.report(rows[0] as Row, () => [])).rejects.toMatchObject({ kind: 'usage' });
      expect(stdout.text).toBe('');
    },
  );

  test('a later row that has the field makes it legal, and then rows without it are shown', async () => {
    const { print, stdout } = printer('tsv', { fields: ['id', 'nowhere'] });
    const later = [{ id: 'a', name: 'n' }, { id: 'b', name: 'n', nowhere: 1 } as Row];
    await print.list(view, { ...list, rows: later });
    await print.list(view, { ...list, rows: [{ id: 'c', name: 'n' }] });
    expect(stdout.text).toBe('a\t\nb\t1\nc\t\n');
  });

  test('the heading of a column is the field that it shows, unless a row has a field of that name', async () => {
    const headed = (name: string) => [{ name, path: name, isKnown: false, shownField: 'name' }];
    const shown = printer('ndjson', { selected: headed('title') });
    await shown.print.list(view, { ...list, rows: [{ id: 'a', name: 'n' }] });
    expect(shown.stdout.text).toBe('{"name":"n"}\n');
    expect(shown.stderr.text).toBe('arx: --fields: title is the heading of the field name\n');
    const own = printer('ndjson', { selected: headed('title') });
    await own.print.list(view, { ...list, rows: [{ id: 'a', name: 'n', title: 't' } as Row] });
    expect([own.stdout.text, own.stderr.text]).toEqual(['{"title":"t"}\n', '']);
  });
});

describe('record and report', () => {
  test('record', async () => {
    const json = printer('json');
    await json.print.record(view, rows[0] as Row);
    expect(json.stdout.text).toBe(`${JSON.stringify(rows[0])}\n`);
    const ndjson = printer('ndjson', { isTTY: true });
    await ndjson.print.record(view, rows[1] as Row);
    expect(ndjson.stdout.text).toBe('{"id":"b","name":"漢\\u202e"}\n');
    const tsv = printer('tsv');
    await tsv.print.record(view, rows[1] as Row);
    expect(tsv.stdout.text).toBe('id\tb\nthe_name\t漢\\u{202e}\nbig\t\nsecret\tdetail\n');
    const table = printer('table');
    await table.print.record(view, rows[1] as Row);
    expect(table.stdout.text).toBe('id        b\nthe name  漢\\u{202e}\nsecret    detail\n');
  });

  test('report', async () => {
    const wire = { version: 1, verdict: 'ok' };
    const lines = () => [[{ text: 'ok', style: 'good' as const }, ' \u001b'], 'second'];
    const json = printer('json', { fields: ['verdict'] });
    await json.print.report(wire, lines);
    expect(json.stdout.text).toBe('{"verdict":"ok"}\n');
    const table = printer('table', { color: true });
    await table.print.report(wire, lines);
    expect(table.stdout.text).toBe('\u001b[32mok\u001b[39m \\u{1b}\nsecond\n');
    const tsv = printer('tsv', { color: true });
    await tsv.print.report(wire, lines);
    expect(tsv.stdout.text).toBe('ok \\u{1b}\nsecond\n');
  });

  test('F5: a line for people is cut, elsewhere it is whole', async () => {
    const long = { id: 'a', name: 'x'.repeat(1_000_000) };
    const table = printer('table');
    await table.print.record(view, long);
    expect(table.stdout.text.length).toBeLessThan(5000);
    const json = printer('json');
    await json.print.record(view, long);
    expect(json.stdout.text.length).toBeGreaterThan(1_000_000);
  });

  test('sums', async () => {
    const sums = () => ['ab  x\u001b'];
    const piped = printer('sums');
    await piped.print.report({}, () => [], sums);
    expect(piped.stdout.text).toBe('ab  x\u001b\n');
    const shown = printer('sums', { isTTY: true });
    await shown.print.report({}, () => [], sums);
    expect(shown.stdout.text).toBe('ab  x\\u{1b}\n');
    for (const refused of [
      printer('sums').print.report({}, () => []),
      printer('sums').print.record(view, rows[0] as Row),
      printer('sums').print.list(view, list),
    ]) {
      await expect(refused).rejects.toMatchObject({ kind: 'usage' });
    }
  });

  test('picture for people only; text is cleaned, bytes are not', async () => {
    const table = printer('table');
    await table.print.picture(({ columns }) => [`drawn in ${columns}`]);
    await table.print.text('a\n\u001bb');
    await table.print.bytes(Buffer.from('\u001b'));
    expect(table.stdout.text).toBe('drawn in 80\na\n\\u{1b}b\n\u001b');
    const json = printer('json');
    await json.print.picture(() => ['drawn']);
    expect(json.stdout.text).toBe('');
  });
});

test.each([
  [{ rows: 1, complete: true }, '1 row · complete · status s'],
  [
    { rows: 2, windows: 1, requests: 1, disagreements: 1, confidence: 1 },
    '2 rows · 1 window · 1 request · 1 disagreement · confidence 1 · status s',
  ],
  [
    { rows: 4061, has_more: true, next: null, drift_ratio: 0.13 },
    '4,061 rows · more rows follow · drift ratio 0.13 · status s',
  ],
  [{ values: 1, files: 1, messages: 1, withheld: 1 }, '1 value · 1 file · 1 message · 1 withheld · status s'],
  [{ drift: { first: 0.1, last: null }, none: {}, mode: 'off' }, 'drift first 0.1 · mode off · status s'],
])('summary %j', (summary, expected) => {
  expect(summaryLine({ status: () => 's', rows: [], summary: () => summary })).toBe(expected);
});

test.each([
  ['a pipe', false],
  ['a terminal', true],
])(
  'property: a report on %s is the JSON that it always was, though its lists come in pieces',
  async (_, isTTY) => {
    const value = fc.dictionary(
      fc.string(),
      fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue(), fc.constant(undefined)),
    );
    await fc.assert(
      fc.asyncProperty(value, async (report) => {
        const { print, stdout } = printer('json', { isTTY });
        await print.report(report, () => []);
        const whole = `${JSON.stringify(report, null, isTTY ? 2 : 0)}\n`;
        expect(stdout.text).toBe(isTTY ? escapeJson(whole) : whole);
      }),
    );
  },
);

describe('tab-separated values', () => {
  const text: View<{ text: string }> = { columns: [{ name: 'text', of: (row) => row.text }] };
  const printed = async (values: readonly string[], csvSafe = false): Promise<string[]> => {
    const { print, stdout } = printer('tsv', { csvSafe });
    await print.list(text, { rows: values.map((value) => ({ text: value })), summary: () => ({}) });
    return stdout.text.split('\n').slice(0, -1);
  };

  test('a tab, a line end and a backslash can be told apart', async () => {
    expect(await printed(['a\tb', 'a\\tb', 'a\nb', 'C:\\new'])).toEqual([
      'a\\tb',
      'a\\\\tb',
      'a\\nb',
      'C:\\\\new',
    ]);
    const { print, stdout } = printer('tsv');
    await print.record(text, { text: 'a\\nb' });
    expect(stdout.text).toBe('text\ta\\\\nb\n');
  });

  test('with --csv-safe no value is a formula', async () => {
    const formulas = [
      '=HYPERLINK("http://x")',
      '+1+cmd',
      '-1+1',
      '@SUM(A1)',
      ' =1',
      '＝1',
      '"=1',
      '" "@SUM(1)',
    ];
    expect(await printed(formulas, true)).toEqual(formulas.map((value) => `'${value}`));
    expect(await printed(formulas)).toEqual(formulas);
    const values = ['a=b', '-5', '+1.25', '2026-01-01', "'x"];
    expect(await printed(values, true)).toEqual(values);
    // LibreOffice separates at commas and semicolons too, unless the user changes that.
    expect(await printed(['x,=1', 'x; "+1+1', 'x, y-z', '1,5'], true)).toEqual([
      "x,'=1",
      'x; "\'+1+1',
      'x, y-z',
      '1,5',
    ]);
  });
});

describe('comma-separated values', () => {
  const columns: View<Record<string, string>> = {
    columns: ['a', 'b'].map((name) => ({ name, of: (row) => row[name] })),
  };
  const printed = async (
    csvRows: readonly Record<string, string>[],
    options: Options = {},
  ): Promise<string> => {
    const { print, stdout } = printer('csv', options);
    await print.list(columns, { rows: csvRows, summary: () => ({}) });
    return stdout.text;
  };

  test.each([
    ['x', 'y', 'x,y'],
    ['x,y', '', '"x,y",'],
    ['say "x"', 'a\nb', '"say ""x""","a\nb"'],
    ['a\r\nb', ' x ', '"a\r\nb"," x "'],
    ['\u001b[2J', 'C:\\new', '\u001b[2J,C:\\new'],
  ])('%j and %j', async (a, b, line) => {
    expect(await printed([{ a, b }])).toBe(`a,b\r\n${line}\r\n`);
  });

  test('no rows are a header alone; a failure before the first row prints nothing', async () => {
    expect(await printed([])).toBe('a,b\r\n');
    const { print, stdout } = printer('csv');
    await expect(print.list(view, { rows: failing(0), summary: () => ({}) })).rejects.toThrow('broke');
    expect(stdout.text).toBe('');
  });

  test('one empty value is not an empty line', async () => {
    expect(await printed([{ a: '' }], { fields: ['a'] })).toBe('a\r\n""\r\n');
  });

  test('on a terminal nothing acts on the screen', async () => {
    expect(await printed([{ a: '\u001b[2J', b: '"\n' }], { isTTY: true })).toBe(
      'a,b\r\n\\u{1b}[2J,"""\\n"\r\n',
    );
  });

  test('with --csv-safe no value and no name of a column is a formula', async () => {
    const formulas = ['=HYPERLINK("http://x")', '+1+cmd', '-1+1', '@SUM(A1)', '\t=1', '＝1'];
    for (const formula of formulas) {
      const [, line = ''] = (await printed([{ a: formula, b: '-5' }], { csvSafe: true })).split('\r\n');
      expect(line.replace(/^"/, '')[0]).toBe("'");
      expect(line.endsWith(',-5')).toBe(true);
    }
    expect(await printed([{ '=1': 'x' }], { csvSafe: true, fields: ['=1'] })).toBe("'=1\r\nx\r\n");
  });

  // Where the comma is the decimal sign, spreadsheets separate at semicolons, and a quote within a cell encloses nothing.
  test.each(['x;=1', 'x; "=1', 'x\t@SUM(1)', 'x\n+1+1', 'x\r\n-1+1', 'x;＝1', '";=HYPERLINK("http://x")'])(
    'with --csv-safe no part of a value is a formula for a reader that separates elsewhere: %j',
    async (value) => {
      const [, ...rest] = (await printed([{ a: 'a', b: value }], { csvSafe: true })).split('\r\n');
      for (const cell of rest.join('\r\n').split(/[;\t\r\n]/))
        expect(cell.replaceAll(/^[ "]+/g, '')).not.toMatch(/^[=+\-@＝]/);
      expect(await printed([{ a: 'a', b: 'x; y-z;\nv' }], { csvSafe: true })).toBe(
        'a,b\r\na,"x; y-z;\nv"\r\n',
      );
    },
  );

  test('a record and a report are one row', async () => {
    const one = printer('csv');
    await one.print.record(columns, { a: '1', b: '2' });
    expect(one.stdout.text).toBe('a,b\r\n1,2\r\n');
    const report = printer('csv');
    await report.print.report({ version: 1, found: null, files: ['a', 'b'], drift: { max: 1 } }, () => [
      'text',
    ]);
    expect(report.stdout.text).toBe('version,found,files,drift\r\n1,,"a,b","{""max"":1}"\r\n');
  });

  test('property: a reader of RFC 4180 gets the values back', async () => {
    const value = fc.stringMatching(/^[a",\r\n ;\t]{0,6}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ a: value, b: value }), { maxLength: 5 }), async (drawn) => {
        const [, ...read] = parsedCsv(await printed(drawn));
        expect(read).toStrictEqual(drawn.map(({ a, b }) => [a, b]));
      }),
    );
  });
});

/** A reader of RFC 4180, written from its grammar. */
function parsedCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new Error('not RFC 4180');
    line.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

test.each([40, 60, 80])(
  'lines of a report break at blanks in %i columns, in tables only',
  async (columns) => {
    const words =
      'fixity ok, 45 files checked, 25.6 kB, completeness incomplete, and nothing else to say of it at all';
    const { print, stdout } = printer('table', { columns });
    await print.report({ words }, () => [words]);
    const lines = stdout.text.trimEnd().split('\n');
    expect(lines.join(' ')).toBe(words);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    const plain = printer('tsv', { columns });
    await plain.print.report({ words }, () => [words]);
    expect(plain.stdout.text).toBe(`${words}\n`);
  },
);
