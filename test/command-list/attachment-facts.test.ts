// Which facts of their messages attachments show.
import { expect, test } from 'vitest';
import { attachmentFacts } from '../../src/command-list/attachment-facts.ts';
import { printedRecord } from '../../src/command-list/printed-records.ts';
import { fieldsOf } from '../../src/contract/record-fields.ts';

test.each([
  ['no option', {}, []],
  ['another option', { name: '*', sort: 'bytes', all: true }, []],
  ['--since', { since: '2021' }, ['date']],
  ['--until', { until: '2021' }, ['date']],
  ['--on', { on: '2021' }, ['date']],
  ['--sort date', { sort: 'date' }, ['date']],
  ['--sort -date', { sort: '-date' }, ['date']],
  ['--from', { from: 'ann' }, ['from']],
  ['--sort from', { sort: 'from' }, ['from']],
  ['--sort -from and --since', { sort: '-from', since: '2021' }, ['date', 'from']],
])('%s', (_, given, shown) => {
  const names = (facts: object): string[] =>
    Object.entries(facts).flatMap(([name, isShown]) => (isShown === true ? [name] : []));
  expect(names(attachmentFacts(given, () => false))).toEqual(shown);
  expect(names(attachmentFacts(given, (fact) => fact === 'date'))).toEqual([...new Set(['date', ...shown])]);
  // As `--fields` knows them.
  const record = printedRecord('attachments ls', { given, isOneRowPerLine: false, isRemote: false });
  const fields = record === undefined ? [] : fieldsOf(record).map(({ name }) => name);
  expect(['date', 'from'].filter((name) => fields.includes(name))).toEqual(shown);
});
