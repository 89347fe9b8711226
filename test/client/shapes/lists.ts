// What the tests of list shapes share: a parser of conversations, and pages as services wrap them.
import { createRecordListParser } from '../../../src/client/record-list.ts';
import type { ApiResponse } from '../../../src/client/response.ts';
import { CONVERSATIONS } from '../../../src/client/shapes/list-kinds.ts';

/** Returns a JSON response. Text is sent as it is. */
export const jsonAnswer = (body: unknown, headers: Record<string, string> = {}): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...headers },
  bytes: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** Returns a parser of conversations that collects its lines. */
export function conversationParser() {
  const notices: string[] = [];
  const lines: string[] = [];
  const list = createRecordListParser(CONVERSATIONS, {
    notice: (line) => notices.push(line),
    log: (line) => lines.push(line),
  });
  const read = (body: unknown, isBackward?: boolean, headers?: Record<string, string>) =>
    list.parse(jsonAnswer(body, headers), isBackward).body;
  return { read, guess: list.guess, notices, lines };
}

type Row = Record<string, unknown>;
const without = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'id'));

/** The same page of conversations as services wrap it, with the place of the rows. */
export const WRAPPINGS: [name: string, wrap: (rows: Row[]) => unknown, place: string][] = [
  ['a bare array', (rows) => rows, ''],
  ...['data', 'items', 'results', 'entries', 'records', 'rows', 'list', 'values', 'content'].map(
    (name): [string, (rows: Row[]) => unknown, string] => [
      name,
      (rows) => ({ count: rows.length, tags: ['x'], [name]: rows }),
      name,
    ],
  ),
  ['the name of the resource', (rows) => ({ status: 'stable', conversations: rows }), 'conversations'],
  ['a name that is not known', (rows) => ({ status: 'stable', found: rows }), 'found'],
  ['data.items', (rows) => ({ data: { items: rows, total: 9 } }), 'data.items'],
  ['result.data', (rows) => ({ ok: true, result: { data: rows } }), 'result.data'],
  ['response.results', (rows) => ({ response: { results: rows } }), 'response.results'],
  [
    'names in PascalCase',
    (rows) => ({ Meta: { List: [{ Id: 0 }] }, Result: { Items: rows, Included: [{ Id: 1 }] } }),
    'Result.Items',
  ],
  ['_embedded', (rows) => ({ _embedded: { conversations: rows }, _links: {} }), '_embedded.conversations'],
  ['_embedded.x', (rows) => ({ _embedded: { x: rows }, page: { size: 1 } }), '_embedded.x'],
  ['edges', (rows) => ({ edges: rows.map((node) => ({ cursor: 'c', node })), pageInfo: {} }), 'edges'],
  [
    'edges of a GraphQL answer',
    (rows) => ({ data: { archive: { conversations: { edges: rows.map((node) => ({ node })) } } } }),
    'data.archive.conversations.edges',
  ],
  ['nodes', (rows) => ({ data: { conversations: { nodes: rows } } }), 'data.conversations.nodes'],
  [
    'a map by id',
    (rows) => ({ conversations: Object.fromEntries(rows.map((row) => [row['id'], without(row)])) }),
    'conversations',
  ],
  [
    'a map by id under a common name',
    (rows) => ({ data: Object.fromEntries(rows.map((row) => [row['id'], without(row)])) }),
    'data',
  ],
  ['a map by id that is the body', (rows) => Object.fromEntries(rows.map((row) => [row['id'], row])), ''],
  [
    'JSON:API',
    (rows) => ({
      jsonapi: { version: '1.1' },
      data: rows.map((row) => ({ type: 'conversations', id: row['id'], attributes: without(row) })),
      included: [{ type: 'people', id: '1' }],
    }),
    'data',
  ],
];
