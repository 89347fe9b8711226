// A request that the service in this process could not serve: a failing disk is exit 14, and not a busy service.
import { expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { createLocalArchives } from '../../src/wiring/local-archives.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { emptyData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const systemError = (fields: object) => Object.assign(new Error('x'), fields);
const sqliteError = (errcode: number) => systemError({ code: 'ERR_SQLITE_ERROR', errcode });

test.each<[what: string, error: Error]>([
  ['SQLite says so', sqliteError(11)],
  ['SQLite gives no number', systemError({ code: 'ERR_SQLITE_ERROR' })],
])('a damaged database in the middle of a command is exit 12: %s', async (_what, error) => {
  const dir = tempFolder('local-archives');
  await emptyData(`${dir}/data`);
  const options = { isOffline: false, notice: () => {}, firstSteps: async () => '' };
  const archives = createLocalArchives(`${dir}/data`, { ...options, world: fakeWorld({ dir }) });
  await archives.openForReading();
  const message = 'the database of this archive is damaged: arx fsck shows where';
  expect(await archives.faultOf(error)).toMatchObject({ kind: 'integrity', message });
  await archives.close();
});

test.each<[what: string, cause: Error, kind: string, message: RegExp]>([
  ['no descriptor is left', systemError({ code: 'EMFILE' }), 'disk', /cannot be read or written/],
  ['SQLite opens no other file', sqliteError(14), 'disk', /cannot be read or written/],
  ['SQLite cannot read', sqliteError(10), 'disk', /cannot be read or written/],
  ['no space is left', systemError({ code: 'ENOSPC' }), 'disk', /no space left/],
  ['another process writes', sqliteError(5), 'busy', /cannot answer now/],
  ['a bug', new TypeError('x'), 'busy', /cannot answer now/],
])('%s', async (_what, cause, kind, message) => {
  const dir = tempFolder('local-archives');
  await emptyData(`${dir}/data`);
  const options = { isOffline: false, notice: () => {}, firstSteps: async () => '' };
  const archives = createLocalArchives(`${dir}/data`, { ...options, world: fakeWorld({ dir }) });
  await archives.openForReading();
  archives.failed('req_1', cause);
  const detail = { code: 'store_unavailable', request_id: 'req_1' };
  const busy = new Fault('busy', 'the service cannot answer now', detail);
  expect(await archives.faultOf(busy)).toMatchObject({ kind, message: expect.stringMatching(message) });
  // A failure of another request says nothing.
  const other = new Fault('busy', 'the service cannot answer now', { ...detail, request_id: 'req_2' });
  expect(await archives.faultOf(other)).toBe(other);
  await archives.close();
});
