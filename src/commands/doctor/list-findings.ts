// Says in words what an examination found out about one list, and what that means for the user. Pure functions.
import type { ExaminedList, Handling, Rejection, ServiceFinding } from '../../contract/reports/service.ts';
import { OPTION_OF_PARAMETER } from '../../command-list/shared-options.ts';
import { finding } from './finding.ts';

type Verdict = ServiceFinding['verdict'];

/** Returns the lines about one list. */
export function listFindings(name: string, list: ExaminedList): ServiceFinding[] {
  const line = (check: string, verdict: Verdict, found: string, meaning: string | null = null) =>
    finding(name, check, verdict, found, meaning);
  if (list.shape === null) {
    const [verdict, found, meaning = null] = UNREAD[list.state];
    const why = list.reason === null ? '' : ` (${list.reason})`;
    return [line('list', verdict, `${list.path}: ${found}${why}`, meaning)];
  }
  const { shape, cursors, page_limit: limit } = list;
  const saysMore = shape.has_more !== null || shape.next !== null;
  return [
    line(
      'pages',
      saysMore ? 'ok' : 'warn',
      `${list.path}: ${placesOf(shape).join(', ')}`,
      saysMore ? null : 'pages do not say whether more follow: only a walk proves the end',
    ),
    ...shape.left_out.map((notice) =>
      line('fields', 'warn', notice.replace(`${name}: `, ''), 'the field is not shown'),
    ),
    list.repeated === 'same'
      ? line('equal requests', 'ok', 'equal rows')
      : list.repeated === 'differs'
        ? line('equal requests', 'differs', 'answers differ', 'one page proves nothing: walk the list')
        : line('equal requests', 'unseen', 'not seen'),
    handled(name, 'starting_after', cursors.starting_after, noWalk(cursors.starting_after, shape)),
    handled(name, 'ending_before', cursors.ending_before, 'walks read forward only, with more requests'),
    handled(name, 'both cursors', cursors.both, 'walks read without ranges, with more requests'),
    ...(cursors.swapped
      ? [line('cursors', 'warn', 'each has the meaning of the other', 'arx swaps them')]
      : []),
    ...orderFindings(name, list),
    limitFinding(name, limit),
    ...rejections(name, list),
    ...Object.entries(list.filters).map(([filter, handling]) => filterFinding(name, filter, handling)),
  ];
}

/** Returns why a list without usable cursors cannot be walked. */
function noWalk(handling: Handling, { paged_by, next }: NonNullable<ExaminedList['shape']>): string {
  if (paged_by !== null)
    return `no walk is possible: the service pages by ${paged_by}, and arx only by the ids of rows`;
  return handling === 'refused' && next !== null
    ? `no walk is possible: ids are no cursors here; ls --after takes the one at ${next}`
    : 'no walk is possible: one page is read, and may not be all';
}

/** Returns where the fields of the pages and rows are. */
function placesOf(shape: NonNullable<ExaminedList['shape']>): string[] {
  const { rows, container, fields, id, names, has_more, next, positions } = shape;
  return [
    `rows ${rows === '' ? 'in the body itself' : `at ${rows}`}${container === 'map' ? ' (a map)' : ''}`,
    ...(fields === '' ? [] : [`fields in ${fields}`]),
    id === '' ? 'ids are the keys' : `ids at ${id}`,
    ...(positions ? ['rows are numbered'] : []),
    ...Object.entries(names).map(([ours, theirs]) => `${ours} at ${theirs}`),
    ...(has_more === null ? [] : [has_more === 'has_more' ? has_more : `has_more at ${has_more}`]),
    ...(next === null ? [] : [`next page at ${next}`]),
  ];
}

/** A list that could not be read. */
const UNREAD: Record<ExaminedList['state'], [Verdict, string, string?]> = {
  read: ['unseen', 'not examined'],
  empty: ['unseen', 'the list is empty, so nothing was tried'],
  needs_token: ['unseen', 'needs a token'],
  forbidden: ['unseen', 'the tier or scope of the token does not allow it'],
  missing: ['warn', 'not there', 'commands that read it do not work'],
  no_list: ['warn', 'its answer is no list of records', 'commands that read it do not work'],
  failed: ['warn', 'every request is answered with an error', 'commands that read it do not work'],
  differs: ['differs', 'answers differ', 'commands that read it may fail'],
  unseen: ['unseen', 'no answer'],
};

function handled(about: string, check: string, handling: Handling, meaning: string): ServiceFinding {
  const TEXTS: Record<Handling, [Verdict, string]> = {
    honoured: ['ok', 'honoured'],
    partly: ['warn', 'honoured in part: rows that do not match come too'],
    ignored: ['warn', 'ignored'],
    refused: ['warn', 'refused'],
    empty: ['warn', 'gives no rows for a value that rows have'],
    differs: ['differs', 'answers differ'],
    unseen: ['unseen', 'not seen'],
  };
  const [verdict, found] = TEXTS[handling];
  return finding(about, check, verdict, found, verdict === 'warn' ? meaning : null);
}

/** A parameter that arx never sends has no consequence. */
function filterFinding(about: string, filter: string, handling: Handling): ServiceFinding {
  if (filter === 'conversation_id')
    return finding(about, `filter ${filter}`, 'ok', `${handling}; arx does not use it`);
  const line = handled(
    about,
    `filter ${filter}`,
    handling,
    'the filter is applied here: needs the whole list',
  );
  const option = OPTION_OF_PARAMETER[filter];
  return option === undefined ? line : { ...line, found: `${line.found} (${option})` };
}

function orderFindings(about: string, { order }: ExaminedList): ServiceFinding[] {
  const known = Object.entries(order).filter(([, each]) => each !== 'unseen');
  const turned = known.filter(([, each]) => each === 'descending').map(([cursor]) => cursor);
  if (known.length === 0) return [];
  return turned.length === 0
    ? [finding(about, 'order of pages', 'ok', 'ascending')]
    : [
        finding(
          about,
          'order of pages',
          'warn',
          `descending with ${turned.join(', ')}`,
          'arx turns these pages',
        ),
      ];
}

function limitFinding(about: string, limit: ExaminedList['page_limit']): ServiceFinding {
  const { handling, asked, accepted, given } = limit;
  const rows = given ?? 0;
  const more = 'reading takes more requests';
  const TEXTS: Record<typeof handling, [Verdict, string, string?]> = {
    accepted: ['ok', `${asked} rows are allowed, ${rows} came`],
    clamped: ['warn', `${rows} rows: a larger limit is cut to that`, more],
    ignored: ['warn', `the limit is ignored: ${rows} rows came`, 'pages are as large as the service wants'],
    refused:
      accepted === null
        ? ['warn', 'every limit that was tried is refused', 'the list cannot be read']
        : ['warn', `${accepted} rows: ${asked} is refused`, more],
    differs: ['differs', 'answers differ'],
    unseen: ['unseen', 'not seen'],
  };
  const [verdict, found, meaning] = TEXTS[handling];
  return finding(about, 'largest page', verdict, found, meaning ?? null);
}

function rejections(about: string, list: ExaminedList): ServiceFinding[] {
  const { unknown_cursor: unknown, misordered, cursors } = list;
  const line = (check: string, answer: Rejection, documented: boolean, meaning: string): ServiceFinding => {
    const code = answer.code === null ? '' : ` ${answer.code}`;
    if (answer.answer === 'differs') return finding(about, check, 'differs', 'answers differ', meaning);
    if (answer.answer === 'unseen') return finding(about, check, 'unseen', 'not seen');
    if (documented) return finding(about, check, 'ok', `refused: ${answer.status}${code}`);
    const found = answer.answer === 'accepted' ? 'answered with a page' : 'refused';
    return finding(about, check, 'warn', `${found}: ${answer.status}${code}`, meaning);
  };
  return [
    ...(cursors.starting_after === 'honoured'
      ? [
          line(
            'unknown cursor',
            unknown,
            unknown.status === 404,
            'a walk cannot ask whether a row still exists',
          ),
        ]
      : []),
    ...(cursors.both === 'honoured'
      ? [
          line(
            'misordered cursors',
            misordered,
            misordered.status === 409,
            '409 is documented: a walk cannot ask for the order of two rows',
          ),
        ]
      : []),
  ];
}
