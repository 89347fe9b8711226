// Fuzzing of search queries: each becomes queries of both engines that hold its words and nothing else, or an error with its place.
import { test } from 'vitest';
import { matches } from '../../../../src/contract/search/match.ts';
import { QueryError, type SearchQuery } from '../../../../src/contract/search/expression.ts';
import { parseQuery } from '../../../../src/contract/search/query.ts';
import { wordsOf } from '../../../../src/contract/search/words.ts';
import {
  certainTsQuery,
  fts5Query,
  looseTsQuery,
  samePlaceTsQuery,
  tsQuery,
} from '../../../../src/service/store/search/engine-query.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../../support/fuzz.ts';
import { textsOf } from '../../../support/fuzz-inputs.ts';

const NOW = Date.UTC(2026, 10, 24, 15);

/** UTF-16, as a query is read. Those that failed once belong here. */
const QUERIES = [
  'foo bar',
  '"use after free" from:jane',
  'foo OR (bar -baz)',
  'NOT subject:patch',
  'type:image/* city:"New York"',
  'since:2021-03 before:yesterday',
  'on:2020-02-29 has:attachment',
  '日本* conversation:conv_12',
  'main() a@b.org http://example.org/',
  '-(from:a OR file:*.pdf)',
  'foo AND city:london AND -bar',
  'body:x*',
  `body:x${'*'.repeat(250)}`,
];
const TOKENS = [
  'constructor',
  'toString:',
  ' ',
  '"',
  '(',
  ')',
  '-',
  '*',
  ':',
  ' OR ',
  ' AND ',
  ' NOT ',
  'foo',
  'Bar',
  "o'neil",
  '"a b"',
  '"a b"*',
  'x*',
  'from:',
  'subject:',
  'body:',
  'file:',
  'conversation:conv_',
  'type:',
  'city:',
  'has:file',
  'since:',
  'before:',
  'on:',
  '2021',
  '-02',
  '-30',
  'T04:05Z',
  '3d',
  '9m',
  'today',
  'monday',
  'form:',
  'sender:',
  '日',
  '한',
  'é',
  'e\u0301',
  'ﬁ',
  'İ',
  'ß',
  '\u{1f44d}',
  '\ud800',
  '\u200b',
  '&',
  '|',
  '!',
  '<->',
  '::tsquery',
  '\\',
  "'",
  'NEAR(',
  '^',
  '{',
  '}',
  '--',
  ';',
  '$1',
  '%',
  '_',
];
const texts = textsOf({ corpus: QUERIES, tokens: TOKENS, maxBytes: 300 });
const MESSAGE = {
  subject: wordsOf('foo bar'),
  sender: wordsOf('Jane Doe'),
  body: wordsOf('use after free'),
  files: [],
  quoted: [],
};

test('any query is understood or refused with its place', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: texts,
    check(text) {
      let query: SearchQuery;
      try {
        query = parseQuery(text, NOW);
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        if (/^[a-z]{2,}$/i.test(text) && !/^(?:OR|AND|NOT)$/.test(text)) throw error;
        if (/native code|\[object/.test(`${error.message}${error.hint}`)) throw error;
        if (error.position < 1 || error.position > text.length + 1)
          throw new Error(`position ${error.position}`, { cause: error });
        for (const said of [error.message, error.hint ?? 'none'])
          if (said === '' || said.length > 200) throw new Error(`message ${said}`, { cause: error });
        return;
      }
      // Each part is a query by itself, which `arx search` tries where nothing matches.
      for (const part of query.parts) parseQuery(part, NOW);
      const { expression } = query;
      if (expression === undefined) return;
      matches(expression, MESSAGE);
      const fts5 = fts5Query(expression).text;
      // What stands in quotation marks are words. Operators, columns and parentheses stand outside.
      if (!/^[ \w(){}:*+]*$/.test(fts5.replaceAll(/"[^"\0]*"/g, ''))) throw new Error(`FTS5 query ${fts5}`);
      const postgres = [
        ...[tsQuery, looseTsQuery, certainTsQuery].map((write) => write(expression)?.text ?? ''),
        samePlaceTsQuery(expression, '-'),
      ];
      for (const each of postgres)
        if (!/^[ \w():*&|!<>-]*$/.test(each.replaceAll(/'(?:[^'\0\\]|''|\\\\)*'/g, '')))
          throw new Error(`tsquery ${each}`);
      const length = Math.max(fts5.length, ...postgres.map((each) => each.length));
      if (length > 100 * (text.length + 10)) throw new Error(`a query of ${length} characters`);
    },
  }),
);
