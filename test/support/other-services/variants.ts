// Every other service that the tests run the commands against.
import * as envelopes from './envelopes.ts';
import { htmlErrors, interfaceErrors, jsonApiErrors, problemDocuments } from './errors.ts';
import * as records from './record-shapes.ts';
import type { CursorRules, Variant } from './variant.ts';

const FOLLOWED: CursorRules = {
  after: 'follows',
  before: 'follows',
  beforeOrder: 'list',
  both: 'follows',
  unknown: 404,
  opaque: false,
};

/** A service that keeps to the letter of the interface, and has nothing that the interface does not name. */
const PLAIN: Omit<Variant, 'name' | 'about'> = {
  isSibling: false,
  envelope: envelopes.dataAndMore,
  envelopes: { sequence: envelopes.underName('entries') },
  records: records.plainRecords,
  errors: interfaceErrors,
  unknownParameters: 'ignored',
  filters: 'honoured',
  limit: { default: 25, maximum: 100, above: 'clamped' },
  whole: false,
  cursors: FOLLOWED,
  cursorless: [],
  order: 'oldest first',
  messages: 'answers',
  letters: 'several',
  singles: false,
  raw: 'described',
  acknowledgements: 'interface',
  health: 'object',
  filesElsewhere: false,
  faults: { drift: 0, rough: 0, seed: '' },
};

type Different = Partial<Omit<Variant, 'name' | 'about' | 'cursors'>> & { cursors?: Partial<CursorRules> };

function variant(name: string, about: string, { cursors, ...different }: Different = {}): Variant {
  return { ...PLAIN, ...different, cursors: { ...FOLLOWED, ...cursors }, name, about };
}

/** All services that answer each read rightly, if differently. */
export const STEADY: readonly Variant[] = [
  variant('plain', 'has nothing that the interface does not name'),
  variant('singles', 'has routes for one record, and numbers its rows', {
    singles: true,
    records: records.numberedRecords,
  }),
  variant('refuses', 'refuses parameters that the interface does not name, and limits above 50', {
    unknownParameters: 'refused',
    limit: { default: 20, maximum: 50, above: 'refused' },
    errors: problemDocuments,
    cursors: { unknown: 400 },
  }),
  variant('refuses-in-html', 'refuses as `refuses`, with pages for browsers', {
    unknownParameters: 'refused',
    limit: { default: 20, maximum: 50, above: 'refused' },
    errors: htmlErrors,
    envelope: envelopes.dataOnly,
  }),
  variant('ignores', 'ignores parameters that it does not know, and all filters; no has_more', {
    filters: 'ignored',
    envelope: envelopes.dataOnly,
  }),
  variant('partly-filtered', 'selects rows by each of their fields, and some that do not match come too', {
    filters: 'partly',
  }),
  variant('partly-filtered-cut', 'as `partly-filtered`, in small pages and without has_more', {
    filters: 'partly',
    limit: { default: 10, maximum: 40, above: 'clamped' },
    envelope: envelopes.dataOnly,
  }),
  variant('wrongly-filtered', 'selects wrong rows by its filters, and not all that match', {
    filters: 'wrongly',
  }),
  variant('one-message', 'has one message for each conversation; the newest comes first; ignores filters', {
    filters: 'ignored',
    letters: 'one',
    order: 'newest first',
    envelope: envelopes.dataOnly,
  }),
  variant('newest-first', 'lists the newest first', {
    order: 'newest first',
    records: records.numberedRecords,
  }),
  variant('json-api', 'answers with JSON:API documents', {
    envelope: envelopes.jsonApi,
    envelopes: {},
    errors: jsonApiErrors,
    acknowledgements: 'wrapped',
  }),
  variant('nested', '`{result: {items}}`, camelCase, ids as numbers, has_more null', {
    envelope: envelopes.resultItems,
    envelopes: {},
    records: records.camelRecords,
  }),
  variant('hal', 'answers in HAL, with `_embedded`', {
    envelope: envelopes.hal,
    envelopes: {},
    errors: problemDocuments,
  }),
  variant('hal-sparse', 'answers in HAL, and leaves out `_embedded` where there are no rows', {
    isSibling: true,
    envelope: envelopes.sparseHal,
    envelopes: {},
  }),
  variant('pascal', '`{Result: {Items, HasMore}}`, PascalCase, flags and numbers as text', {
    envelope: envelopes.pascalItems,
    envelopes: {},
    records: records.pascalRecords,
    acknowledgements: 'wrapped',
  }),
  variant('data-items', '`{data: {items}}`, has_more as text, ids as numbers', {
    envelope: envelopes.dataItems,
    envelopes: {},
    records: records.numericRecords,
  }),
  variant('result-data', '`{result: {data}}`, has_more as 0 or 1', {
    envelope: envelopes.resultData,
    envelopes: {},
    acknowledgements: 'more fields',
  }),
  variant('next-number', '`{items, next}`, next a number or false', {
    envelope: envelopes.nextNumber,
    envelopes: {},
  }),
  variant('next-object', '`{items, next}`, next an object or null', {
    envelope: envelopes.nextObject,
    envelopes: {},
  }),
  variant('edges', '`{edges: [{node}], pageInfo}`', { envelope: envelopes.edges, envelopes: {} }),
  variant('graph-edges', 'edges inside `data` and the name of the list', {
    envelope: envelopes.graphEdges,
    envelopes: {},
  }),
  variant('map', 'rows are a map by id', { envelope: envelopes.mapById, envelopes: {} }),
  variant('bare', 'lists are bare arrays', { envelope: envelopes.bareArray, envelopes: {}, health: 'text' }),
  variant('named', 'rows are under the name of the list', {
    envelope: envelopes.underResource,
    envelopes: {},
  }),
  ...['items', 'results', 'entries', 'records', 'rows', 'list', 'values', 'content'].map((name, index) =>
    variant(name, `rows are under \`${name}\`, \`next\` is an address`, {
      isSibling: index > 0,
      envelope: envelopes.underName(name),
      envelopes: {},
    }),
  ),
  ...['_id', 'uuid', 'uid', 'key'].map((idField, index) =>
    variant(`id-${idField.replace('_', '')}`, `the id of a row is in \`${idField}\``, {
      isSibling: index > 0,
      records: records.renamedIds(idField),
    }),
  ),
  variant('titled', 'conversations have a `title` and no `subject`', { records: records.titledRecords }),
  variant('odd-fields', 'has optional fields of types that nobody expects', { records: records.oddRecords }),
  variant('descending', 'pages before a cursor come in reverse order', {
    cursors: { beforeOrder: 'reversed' },
  }),
  variant('forward-only', 'ignores ending_before', { cursors: { before: 'ignores', both: 'refuses' } }),
  variant('forward-refuses', 'refuses ending_before', {
    cursors: { before: 'refuses', both: 'refuses', unknown: 400 },
    envelope: envelopes.dataOnly,
  }),
  variant('one-cursor', 'refuses both cursors at once; an unknown cursor gives an empty page', {
    cursors: { both: 'refuses', unknown: 'empty' },
  }),
  variant('opaque-cursors', 'follows only the cursors that it made itself', {
    cursors: { opaque: true, unknown: 400 },
    envelope: envelopes.resultItems,
  }),
  variant('no-cursors', 'always gives the whole list', { whole: true }),
  variant('no-cursors-bare', 'always gives the whole list, as a bare array', {
    whole: true,
    envelope: envelopes.bareArray,
    envelopes: {},
  }),
  variant('attachments-in-one-page', 'has no cursors for attachments, as the interface names none', {
    cursorless: ['attachments'],
    unknownParameters: 'refused',
    envelope: envelopes.dataOnly,
  }),
  variant('clamped-7', 'gives at most 7 rows and does not say so', {
    limit: { default: 5, maximum: 7, above: 'clamped' },
  }),
  variant('clamped-30', 'gives at most 30 rows and does not say so; no has_more', {
    limit: { default: 30, maximum: 30, above: 'clamped' },
    envelope: envelopes.dataOnly,
  }),
  variant('no-messages', 'has no /messages', { messages: 'missing', errors: htmlErrors }),
  variant('refused-messages', 'refuses every read of /messages', { messages: 'refuses all' }),
  variant('base64', 'gives stored bytes as base64; its health is empty', {
    raw: 'base64',
    health: 'empty',
  }),
  variant('raw-text', 'the raw view is the text itself', { raw: 'text/plain' }),
  variant('not-accepted', 'acknowledges events with accepted: false', { acknowledgements: 'not accepted' }),
  variant('files-elsewhere', 'has its files on another port', { filesElsewhere: true }),
];

/** Services whose /messages never answers: a run against them takes as long as the client waits. */
export const SLOW: readonly Variant[] = [
  variant('slow-messages', '/messages takes longer than anybody waits', { messages: 'never answers' }),
];

const named = (name: string): Variant => STEADY.find((one) => one.name === name)!;

/** Returns the service with 21 % of wrong pages. */
export const drifting = (name: string, seed: string): Variant => ({
  ...named(name),
  name: `drifting-${name}`,
  faults: { drift: 0.21, rough: 0, seed },
});

/** Returns the service with 20 % of requests that fail in transport. */
export const rough = (name: string, seed: string): Variant => ({
  ...named(name),
  name: `rough-${name}`,
  faults: { drift: 0, rough: 0.2, seed },
});
