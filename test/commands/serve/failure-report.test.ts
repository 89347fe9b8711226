// A failure that passes is said when it begins and when it ends; any other at each request.
import { beforeEach, expect, test } from 'vitest';
import type { App } from '../../../src/app.ts';
import { failureReporter, type FailureReporter } from '../../../src/commands/serve/failure-report.ts';
import type { ServiceRequest, ServiceResponse } from '../../../src/contract/exchange.ts';
import { DatabaseAccessError } from '../../../src/service/index.ts';

let now: number;
let notices: string[];
let reporter: FailureReporter;
beforeEach(async () => {
  [now, notices] = [0, []];
  const notice = (text: string) => void notices.push(text);
  reporter = await failureReporter(undefined, {
    notice,
    world: { monotonic: () => now, env: {} },
  } as unknown as App);
});

const UNREACHABLE = new DatabaseAccessError('unreachable', 'ECONNREFUSED', undefined);
const NO_BUCKET_ANSWER = new DatabaseAccessError('bucket_unreachable', undefined, undefined);
const STANDBY = new DatabaseAccessError('standby', undefined, undefined);
const LOCKED = Object.assign(new Error('locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });

const answered = (
  status: number,
  logContext: ServiceResponse['logContext'],
  method = 'GET',
): Promise<unknown> =>
  reporter.watched(async () => ({ status, headers: {}, body: '', ...(logContext && { logContext }) }))({
    method,
  } as ServiceRequest);

test.each([
  [
    'a database that restarts',
    UNREACHABLE,
    'the database cannot be reached (ECONNREFUSED)',
    'attachments',
    'requests',
  ],
  ['a locked database', LOCKED, 'the database is busy', 'ingest', 'events and logins'],
  [
    'a standby',
    STANDBY,
    'the database takes no writes now: it is a standby, or read-only',
    'ingest',
    'events and logins',
  ],
  ['a bucket', NO_BUCKET_ANSWER, 'the bucket of the files cannot be reached', 'file', 'files'],
])('%s', async (_, error, what, route, requests) => {
  for (const id of ['req_1', 'req_2', 'req_3']) reporter.onFailure(id, error);
  now = 41_200;
  await answered(503, { route });
  await answered(200, { route: 'live' });
  await answered(200, { route, archive: 'another' });
  await answered(204, { route }, 'OPTIONS');
  await answered(304, { route });
  if (route !== 'attachments') await answered(200, { route: 'attachments' });
  if (route === 'file') {
    await answered(200, { route: 'stored_message' });
    await answered(200, { route }, 'HEAD');
  }
  const begin = `req_1 outage: ${what}; ${requests} are answered 503 until it is over`;
  expect(notices).toEqual([begin]);
  await answered(200, { route });
  await answered(200, { route });
  expect(notices).toEqual([begin, 'the outage is over after 41 s; 3 requests failed']);
});

test('a file that is given ends an outage of the database as well', async () => {
  reporter.onFailure('req_1', UNREACHABLE);
  await answered(200, { route: 'file' });
  expect(notices.at(-1)).toBe('the outage is over after 0 s; 1 request failed');
});

test('each archive has its own outages', async () => {
  reporter.onFailure('req_1', UNREACHABLE, 'a');
  reporter.onFailure('req_2', UNREACHABLE, 'b');
  await answered(200, { route: 'attachments', archive: 'b' });
  expect(notices.map((text) => text.slice(0, 32))).toEqual([
    'req_1 (a) outage: the database c',
    'req_2 (b) outage: the database c',
    'b: the outage is over after 0 s;',
  ]);
});

test('a response to a request from before the outage does not end it', async () => {
  const service = reporter.watched(async () => {
    reporter.onFailure('req_1', UNREACHABLE);
    return { status: 200, headers: {}, body: '', logContext: { route: 'attachments' } };
  });
  await service({} as ServiceRequest);
  expect(notices).toHaveLength(1);
});

test('what does not pass is said each time', () => {
  const refused = new DatabaseAccessError('refused', '28P01', undefined);
  for (const error of [refused, refused, new TypeError('x')]) reporter.onFailure('req_1', error);
  expect(notices).toEqual([
    'req_1 failed: DatabaseAccessError 28P01: the database refuses this user or password (28P01)',
    'req_1 failed: DatabaseAccessError 28P01: the database refuses this user or password (28P01)',
    'req_1 failed: TypeError',
  ]);
});
