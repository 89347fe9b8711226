// Credentials for S3 from variables and files: what is no file of settings is refused, in bounded time and memory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { awsCredentialsOf, awsDefaults } from '../../src/config/aws-credentials.ts';
import { Fault } from '../../src/faults.ts';
import { tempFolder } from '../support/temp-folder.ts';

const awsCredentials = (env: Record<string, string>, home: string) => awsCredentialsOf(env, home, () => 0)();
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' };

test('a section of a file, and a variable before it', async () => {
  const home = tempFolder('aws');
  mkdirSync(join(home, '.aws'));
  writeFileSync(
    join(home, '.aws', 'credentials'),
    '[other]\naws_access_key_id = no\n[default]\r\naws_access_key_id = A\naws_secret_access_key=b=c\n',
  );
  writeFileSync(join(home, '.aws', 'config'), '[default]\nregion = eu-1\nendpoint_url = https://a\n');
  expect(await awsCredentials({}, home)).toEqual({ accessKeyId: 'A', secretAccessKey: 'b=c' });
  expect(await awsDefaults({ AWS_REGION: 'us-2' }, home)).toEqual({ endpoint: 'https://a', region: 'us-2' });
  expect(await awsCredentials({ ...KEYS, AWS_CONFIG_FILE: '/dev/null' }, home)).toMatchObject({
    accessKeyId: 'AKIA',
  });
});

test.each<[name: string, make: (path: string) => void, says: string]>([
  ['a file of 100 GB', (path) => (writeFileSync(path, ''), truncateSync(path, 1e11)), 'is larger than 1 MiB'],
  ['a FIFO', (path) => void execFileSync('mkfifo', [path]), 'ESPIPE'],
  ['a folder', (path) => mkdirSync(path), 'EISDIR'],
])('%s is refused at once', async (_, make, says) => {
  const path = join(tempFolder('aws'), 'config');
  make(path);
  const failure = await awsDefaults({ AWS_CONFIG_FILE: path }, '/').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Fault);
  expect(failure).toMatchObject({ kind: 'auth', message: expect.stringContaining(says) });
});

test('what never ends is read no further', async () => {
  const env = { AWS_CONFIG_FILE: '/dev/zero', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  await expect(awsDefaults(env, '/')).rejects.toThrow('cannot read /dev/zero: it is larger than 1 MiB');
});

test.each([
  { AWS_ACCESS_KEY_ID: 'AKIA\nX-Evil: 1' },
  { AWS_SESSION_TOKEN: 'hidden\r\nHost: evil' },
  { AWS_SESSION_TOKEN: 'h\u00efdden' },
])('credentials that no header can have are refused, and not quoted: %j', async (env) => {
  const failure = await awsCredentials({ ...KEYS, ...env }, '/').catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'auth' });
  expect((failure as Fault).cause).toBe(undefined);
  expect((failure as Fault).message).not.toMatch(/AKIA|evil|dden/i);
});
