// The page of a whole archive: what is not proven comes first, gaps are seen, and no text of an archive becomes markup.
import { describe, expect, test } from 'vitest';
import { archivePage } from '../../../src/format/html/archive-page.ts';
import { archiveReport, emptyReport, filesBy } from '../../support/archive-report.ts';
import { elementsOf } from '../../support/well-formed.ts';

const pageOf = (...args: Parameters<typeof archiveReport>) => archivePage(archiveReport(...args), '0.1.0');
const textsOf = (document: string, name: string) =>
  elementsOf(document)
    .filter((element) => element.name === name)
    .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());

test('what is not complete and not proven stands before every figure', () => {
  const document = pageOf('outer');
  const text = document.slice(document.indexOf('<main>'));
  const places = [
    'Not every list was read to its end',
    'a window would not settle outer.',
    '3 messages without',
  ];
  const before = text.indexOf('>Counts<');
  for (const place of places) {
    expect(text.indexOf(place)).toBeGreaterThan(0);
    expect(text.indexOf(place)).toBeLessThan(before);
  }
  expect(textsOf(document, 'span').slice(0, 1)).toEqual(['not complete']);
  const whole = pageOf('outer', { complete: true, lists: [], verification: null });
  expect(whole).toContain('Every list was read to its end');
  expect(whole).toContain('No file was compared with its hash');
});

test('a command stands in code whose line ends only between words', () => {
  const document = pageOf('outer', { verification: null });
  const lines = [...document.matchAll(/<code class="command">(.*?)<\/code>/gs)].map(([, line = '']) => line);
  expect(lines.map((line) => line.replaceAll(/<[^>]*>/g, ''))).toEqual([
    'arx attachments pull --all --to DIR',
    'arx report --verify DIR',
    'arx report --json',
  ]);
  for (const line of lines) expect(line).toMatch(/^<span>[^ <]+<\/span>( <span>[^ <]+<\/span>)+$/);
  expect(document).toContain('.command span { display: inline-block;');
});

test('headings have an order, links lead to parts, and the figures are text in tables', () => {
  const document = pageOf('outer');
  const elements = elementsOf(document);
  expect(elements.filter(({ name }) => name === 'h1')).toHaveLength(1);
  const ids = new Set(elements.flatMap(({ attributes }) => attributes['id'] ?? []));
  const links = elements.flatMap(({ name, attributes }) => (name === 'a' ? (attributes['href'] ?? '') : []));
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect(ids).toContain(link.slice(1));
  expect(textsOf(document, 'caption')).toEqual(
    expect.arrayContaining(['Lists that were read', 'Attachments by city', 'Rows by integrity']),
  );
  expect(textsOf(document, 'td')).toEqual(expect.arrayContaining(['28', '9', '4', '3,499']));
});

test('months without messages are a gap of the chart and a row of the table', () => {
  const document = pageOf('outer');
  expect(textsOf(document, 'title').filter((text) => /^\d{4}-\d\d: /.test(text))).toEqual([
    '2003-11: 1,500 messages',
    '2003-12: 1 message',
    '2004-01: 0 messages',
    '2004-02: 0 messages',
    '2004-03: 0 messages',
    '2004-04: 0 messages',
    '2004-05: 3,499 messages',
  ]);
  expect(textsOf(document, 'th')).toContain('2004-01 to 2004-04');
});

test('a few messages with dates far away do not squeeze the chart, and are said and in the table', () => {
  const months = Array.from({ length: 24 }, (_, at) => ({
    month: `20${String(19 + Math.floor(at / 12))}-${String((at % 12) + 1).padStart(2, '0')}`,
    messages: 100,
  }));
  const by_month = [{ month: '0102-07', messages: 2 }, ...months, { month: '2028-10', messages: 1 }];
  const document = pageOf('outer', { messages: { ...archiveReport('').messages, by_month } });
  const columns = textsOf(document, 'title').filter((text) => /^\d{4}-\d\d: /.test(text));
  expect(columns).toHaveLength(24);
  expect(columns[0]).toBe('2019-01: 100 messages');
  expect(document).toContain('3 messages before or after 2019-01 to 2020-12 not in the chart');
  expect(textsOf(document, 'th')).toEqual(expect.arrayContaining(['0102-07', '2028-10']));
});

test('times without a message far away from others keep their place where they are many', () => {
  const by_month = [
    { month: '1992-01', messages: 50 },
    { month: '2020-01', messages: 900 },
  ];
  const document = pageOf('outer', { messages: { ...archiveReport('').messages, by_month } });
  expect(textsOf(document, 'title')).toContain('1992-01: 50 messages');
  expect(document).not.toContain('not in the chart');
});

test('rows without a value have a number and no bar, so that they do not shorten the bars of others', () => {
  const known = { ...filesBy(['oslo']).values[0]!, available: 7, withheld: 0, absent: 0 };
  const cities = {
    values: [known, { ...known, value: null, files: 9000, available: 9000 }],
    others: { values: 0, rows: 0 },
  };
  const document = pageOf('outer', { attachments: { ...archiveReport('').attachments, cities } });
  const table = /Attachments by city[^]*?<\/table>/.exec(document)![0];
  expect(table).toMatch(/not stated[^]*9,000/);
  expect(table).toMatch(/oslo[^]*width="100.00"[^]*not stated/);
});

test('a part without figures is left out, and so is its link', () => {
  const document = archivePage(emptyReport(), '0.1.0');
  expect(textsOf(document, 'a')).toEqual([
    'What is complete, and what is not proven',
    'Counts',
    'How it was read',
  ]);
  expect(textsOf(document, 'h2')).toEqual(textsOf(document, 'a'));
});

test('a page of any archive is bounded', () => {
  const years = Array.from({ length: 9999 }, (_, at) => String(at + 1).padStart(4, '0'));
  const document = pageOf('x'.repeat(200), {
    attachments: {
      ...archiveReport('').attachments,
      cities: filesBy(Array.from({ length: 25 }, (_, at) => `${at} ${'x'.repeat(200)}`)),
    },
    messages: {
      ...archiveReport('').messages,
      by_month: years.flatMap((year) =>
        ['01', '12'].map((month) => ({ month: `${year}-${month}`, messages: 1 })),
      ),
    },
    verification: {
      ...archiveReport('').verification!,
      differing: Array.from({ length: 50_000 }, () => archiveReport('x').verification!.differing[0]!),
    },
  });
  expect(document).toContain('the first 1,000 of 50,000');
  expect(document).toContain('19,998 messages, 0001-01 to 9999-12');
  expect(document.length).toBeLessThan(1_500_000);
  elementsOf(document);
});

describe('texts that mean harm', () => {
  test.each([
    '</style><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u001b[2J\u202Egpj\u200b',
    '__proto__',
    '&lt;b&gt;',
    '</title></main>',
  ])('%s', (text) => {
    const document = pageOf(text);
    const plain = pageOf('plain');
    const count = (of: string) => elementsOf(of).map(({ name }) => name);
    expect(count(document)).toEqual(count(plain));
    for (const mark of ['\u001b', '\u202e', '\u200b']) expect(document).not.toContain(mark);
    const policyOf = (of: string) => /content="default-src[^"]*"/.exec(of)?.[0];
    expect(policyOf(document)).toBe(policyOf(plain));
  });
});
