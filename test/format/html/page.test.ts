// Pages: one file that needs, runs and links nothing, whatever the archive says, and the same bytes each time.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlotReport } from '../../../src/contract/reports/walk.ts';
import { html } from '../../../src/format/html/markup.ts';
import { walkPage } from '../../../src/format/html/walk-page.ts';
import { elementsOf } from '../../support/well-formed.ts';

type Given = Partial<PlotReport['walk']> & { windows?: number; drift?: (window: number) => number | null };

function reportOf({ windows: count = 3, drift = () => 0.13, ...walk }: Given = {}): PlotReport {
  const windows = Array.from({ length: count }, (_, index) => ({
    window: index + 1,
    after: index === 0 ? null : `conv_${index}`,
    conversations: 10,
    reads: 2 + (index % 3),
    disagreements: index % 2,
    drift_ratio: drift(index + 1),
  }));
  const drifts = windows.flatMap(({ drift_ratio }) => (drift_ratio === null ? [] : [drift_ratio]));
  return {
    version: 1,
    walk: {
      dir: 'walk1',
      base_url: 'https://archive.example',
      list: 'conversations',
      tier: null,
      after: null,
      before: null,
      head: 'ab'.repeat(32),
      windows: count,
      conversations: count * 10,
      complete: true,
      finished_at: '2026-01-02T03:04:05.678Z',
      confidence: 0.9999,
      late: [],
      unplaced: [],
      torn: false,
      ...walk,
    },
    reads: windows.reduce((sum, { reads }) => sum + reads, 0),
    disagreements: windows.reduce((sum, { disagreements }) => sum + disagreements, 0),
    drift: {
      first: drifts[0] ?? null,
      last: drifts.at(-1) ?? null,
      max: drifts.length === 0 ? null : drifts.reduce((most, each) => Math.max(most, each)),
    },
    windows,
  };
}

const named = (document: string, name: string) =>
  elementsOf(document).filter((element) => element.name === name);
const textOf = (document: string) =>
  elementsOf(document)
    .filter(({ name }) => name !== 'style')
    .map(({ text, attributes }) => [text, ...Object.values(attributes)].join(' '))
    .join(' ')
    .replaceAll(/\s+/g, ' ');

test('the page is well-formed, and the same report gives the same bytes', () => {
  const page = walkPage(reportOf(), '1.2.3');
  expect(page).toBe(walkPage(reportOf(), '1.2.3'));
  expect(page.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
  expect(named(page, 'title')[0]?.text).toBeDefined();
  expect(named(page, 'meta')[0]?.attributes).toEqual({ charset: 'utf-8' });
});

test('it says what the walk is: totals, verdict, head, source, time, and the figures', () => {
  const shown = textOf(walkPage(reportOf(), '1.2.3'));
  for (const said of [
    'complete',
    'https://archive.example',
    'ab'.repeat(32),
    '2026-01-02 03:04 UTC',
    'the whole list',
    'window 2: drift 0.13, 3 reads, 1 disagreement, 10 rows',
    'arx 1.2.3',
  ])
    expect(shown).toContain(said);
  const doubtful = textOf(
    walkPage(reportOf({ complete: false, finished_at: null, torn: true, late: ['conv_9'], after: 'a' }), '1'),
  );
  for (const said of [
    'end not recorded',
    'nothing says that this walk',
    'torn',
    'conv_9',
    'after a, before the end',
  ])
    expect(doubtful).toContain(said);
});

test('every picture has a name for those who do not see it, and its figures in a table', () => {
  const page = walkPage(reportOf(), '1');
  const pictures = named(page, 'svg').filter(({ attributes }) => attributes['aria-hidden'] !== 'true');
  expect(pictures.map(({ attributes }) => [attributes['role'], attributes['aria-label']])).toEqual([
    ['img', 'Drift reported by the service: The ratio was 0.13 at first and 0.13 at last, 0.13 at most.'],
    ['img', 'What the windows cost: 9 reads until all of them were settled, 1 disagreement among them.'],
  ]);
  expect(named(page, 'td').map(({ text }) => text)).toEqual(
    [
      [10, 2, 0],
      [10, 3, 1],
      [10, 4, 0],
    ].flatMap((row) => [...row.map(String), '0.13']),
  );
});

describe('nothing comes in and nothing goes out', () => {
  const page = walkPage(reportOf({ windows: 30 }), '1');
  const elements = elementsOf(page);

  test('no element or attribute that loads, runs or links', () => {
    const names = new Set(elements.map(({ name }) => name));
    for (const name of ['script', 'link', 'img', 'image', 'iframe', 'object', 'a', 'use', 'base', 'form'])
      expect(names).not.toContain(name);
    for (const { attributes } of elements)
      expect(Object.keys(attributes).filter((name) => /^on|^style$|href|src/.test(name))).toEqual([]);
    expect(elements.find(({ name }) => name === 'style')?.text).not.toMatch(/url\(|@import|@font-face/);
  });

  test('the policy allows the style sheet by its hash and nothing else', () => {
    const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    expect(policy?.attributes['content']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
  });
});

/** Lone surrogates and controls included. */
const anyText = fc
  .array(fc.oneof(fc.integer({ max: 0x7f, min: 0 }), fc.integer({ max: 0xffff, min: 0 })))
  .map((units) => String.fromCharCode(...units));

describe('what an archive says stays text', () => {
  const hostile = `</style><script>alert(1)</script>"'&amp;<img src=x onerror=alert(1)>\u0000\u001b]0;x\u0007\u202e\ud800`;

  test('in every place', () => {
    const walk = {
      dir: hostile,
      base_url: hostile,
      list: hostile,
      after: hostile,
      before: hostile,
      finished_at: hostile,
    };
    const page = walkPage(reportOf({ ...walk, late: [hostile], unplaced: [hostile] }), '1');
    const elements = elementsOf(page);
    // Each word of a command is an element; the hostile name of the folder has three.
    const harmless = walkPage(reportOf({ dir: 'd e f', after: 'a', late: ['b'], unplaced: ['c'] }), '1');
    expect(elements.map(({ name }) => name)).toEqual(elementsOf(harmless).map(({ name }) => name));
    expect(elements.find(({ name }) => name === 'h1')?.text).toContain(
      `</style><script>alert(1)</script>"'&amp;<img src=x onerror=alert(1)>\\u{0}\\u{1b}]0;x\\u{7}\\u{202e}\\u{d800}`,
    );
    // oxlint-disable-next-line no-control-regex
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|\p{Cs}/u);
  });

  test('any text comes back as itself or as a visible escape', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [element] = elementsOf(html`<p title="${text}">${text}</p>`.text);
        expect(element?.text).toBe(element?.attributes['title'] ?? '');
        if (/^[ -~]*$/.test(text)) expect(element?.text).toBe(text);
      }),
    );
  });
});

describe('few and many windows', () => {
  test('of ten thousand several share a column and a row, and each is in one of them', () => {
    const page = walkPage(
      reportOf({ windows: 10_000, drift: (window) => (window === 5_001 ? 0.5 : 0.1) }),
      '1',
    );
    expect(page.length).toBeLessThan(300_000);
    expect(named(page, 'tr')).toHaveLength(201);
    expect(named(page, 'details')).toHaveLength(1);
    const rows = named(page, 'th').filter(({ attributes }) => attributes['scope'] === 'row');
    expect([rows[0]?.text, rows[100]?.text, rows.at(-1)?.text]).toEqual([
      '1 to 50',
      '5,001 to 5,050',
      '9,951 to 10,000',
    ]);
    expect(textOf(page)).toContain('windows 5,001 to 5,050: drift 0.1 to 0.5');
    expect(textOf(page)).toContain('about 50 a column');
  });

  test.each([
    ['none', reportOf({ windows: 0, head: null })],
    ['no drift reported', reportOf({ windows: 2, drift: () => null })],
    ['gaps', reportOf({ windows: 9, drift: (window) => (window % 3 === 0 ? null : 0.1) })],
    [
      'the least and the greatest number',
      reportOf({ windows: 2, drift: (n) => (n === 1 ? 5e-324 : 1.7e308) }),
    ],
    ['the least number alone', reportOf({ windows: 1, drift: () => 5e-324 })],
    ['less than nothing', reportOf({ windows: 1, drift: () => -1 })],
  ])('%s', (_, report) => {
    const page = walkPage(report, '1');
    expect(textOf(page)).not.toMatch(/NaN|undefined|Infinity/);
    expect(named(page, 'path').every(({ attributes }) => /^[MLHVZ\d. ]*$/.test(attributes['d'] ?? ''))).toBe(
      true,
    );
  });
});
