// The page of a verification: figures that add up, failures first, and nothing that an archive's names could do.
import { describe, expect, test } from 'vitest';
import type { VerifiedFile, VerifyReport } from '../../../src/contract/reports/files.ts';
import { verifyPage } from '../../../src/format/html/verify-page.ts';
import { verifyReportOf } from '../../../src/verify/verdicts.ts';
import { elementsOf } from '../../support/well-formed.ts';

const SHA = 'ab'.repeat(32);
const file = (path: string | null, verdict: VerifiedFile['verdict']): VerifiedFile => ({
  path,
  id: path === null ? 'att_1' : null,
  verdict,
  expected: SHA,
  actual: verdict === 'match' ? SHA : null,
  bytes: verdict === 'match' ? 3 : null,
});
const pageOf = (files: VerifiedFile[], more: Partial<VerifyReport> = {}) =>
  verifyPage({ ...verifyReportOf(files, true), ...more }, 'lisbon', '0.1.0');
const textsOf = (document: string, name: string) =>
  elementsOf(document)
    .filter((element) => element.name === name)
    .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());

test('failures come first, the worst of them at the top, folders with failures open', () => {
  const document = pageOf([
    file('a/1', 'match'),
    file('a/2', 'extra'),
    file('b/c/3', 'match'),
    file('b/c/4', 'mismatch'),
    file('d/5', 'match'),
    file('d/e/6', 'match'),
    file(null, 'withheld'),
  ]);
  expect(textsOf(document, 'th').filter((text) => /\d$/.test(text))).toEqual(['b/c/4', 'att_1', 'a/2']);
  expect(textsOf(document, 'caption')).toEqual(expect.arrayContaining(['Not as expected', 'Other files']));
  const folded = elementsOf(document).filter(({ name }) => name === 'details');
  expect(folded.map(({ attributes }) => attributes['open'] ?? 'closed')).toEqual(['open', 'closed', 'open']);
  expect(document).toContain('<title>a: 1 extra, 1 match</title>');
});

test('the same report gives the same bytes; all right and nothing at all are said', () => {
  const files = [file('a', 'match')];
  expect(pageOf(files)).toBe(pageOf(files));
  expect(pageOf(files)).toContain('Every file that was checked is as expected');
  expect(pageOf([file('a', 'extra')])).not.toContain('as expected');
  const withheld = pageOf([...files, file(null, 'withheld')]);
  expect(withheld).toContain('Every file that was checked is as expected');
  expect(withheld).not.toContain('Not as expected');
  elementsOf(pageOf([]));
});

describe('names that mean harm', () => {
  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u001b[2J\u202Egpj',
    '__proto__',
    '&lt;b&gt;',
  ])('%s', (name) => {
    const document = pageOf([file(`${name}/${name}`, 'mismatch'), file(name, 'match')], {
      bag: {
        version: name,
        encoding: name,
        algorithms: [name],
        payload_oxum: name,
        fetch: [{ url: name, path: name, bytes: null }],
        problems: [{ kind: 'integrity', what: name }],
      },
    });
    const names = new Set(elementsOf(document).map((element) => element.name));
    expect([...names].filter((each) => ['script', 'img', 'b'].includes(each))).toEqual(['b']);
    for (const mark of ['\u001b', '\u202e']) expect(document).not.toContain(mark);
  });
});

test('many folders and deep ones are bounded', () => {
  const many = Array.from({ length: 3000 }, (_, at) => file(`${at}/x`, 'missing'));
  const deep = file(Array<string>(2000).fill('d').join('/'), 'match');
  const document = pageOf([...many, deep]);
  expect(document).toMatch(/the first 1,000 of 3,000/);
  expect(document).toMatch(/And [\d,]+ more folders/);
  expect(document.length).toBeLessThan(2_000_000);
});
