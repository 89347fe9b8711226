// Credentials of roles from a small server on loopback: as AWS gives them, refreshed before they end, and never quoted.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsCredentialsOf } from '../../src/config/aws-credentials.ts';
import { tempFolder } from '../support/temp-folder.ts';

const START = Date.UTC(2026, 0, 2);
const HOUR = 3_600_000;
type Answer = { status?: number; body: string };
type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

let now: number;
let seen: Seen[];
let answer: (request: Seen) => Answer | 'never';
let origin: string;
let dir: string;
let close: () => Promise<void>;
beforeEach(async () => {
  now = START;
  seen = [];
  dir = tempFolder('aws-roles');
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const asked = { method: request.method!, url: request.url!, headers: request.headers, body };
    seen.push(asked);
    const made = answer(asked);
    if (made !== 'never') response.writeHead(made.status ?? 200).end(made.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
});
afterEach(() => close());

const jsonOf = (name: string, expires = now + HOUR): string =>
  JSON.stringify({
    Code: 'Success',
    AccessKeyId: name,
    SecretAccessKey: `secret-${name}`,
    Token: `token-${name}`,
    Expiration: new Date(expires).toISOString(),
  });
const credentialsOf = (name: string) => ({
  accessKeyId: name,
  secretAccessKey: `secret-${name}`,
  sessionToken: `token-${name}`,
});
const machine = () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: origin });
const container = () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/role?id=1` });
const providerOf = (env: Record<string, string>) => awsCredentialsOf(env, dir, () => now);

/** The metadata service of a machine, with a token before everything. */
function metadata({ method, url, headers }: Seen): Answer {
  if (method === 'PUT' && url === '/latest/api/token') return { body: 'session==' };
  if (headers['x-aws-ec2-metadata-token'] !== 'session==') return { status: 401, body: '' };
  const path = '/latest/meta-data/iam/security-credentials/';
  if (url === path) return { body: 'my-role\n' };
  return url === `${path}my-role` ? { body: jsonOf(`M${seen.length}`) } : { status: 404, body: '' };
}

test('of the machine: a token first, kept, refreshed before they end, once for all who wait', async () => {
  answer = metadata;
  const credentials = providerOf(machine());
  expect(await Promise.all([credentials(), credentials(), credentials()])).toEqual(
    Array.from({ length: 3 }, () => credentialsOf('M3')),
  );
  expect(seen.map(({ method }) => method)).toEqual(['PUT', 'GET', 'GET']);
  expect(seen[0]!.headers['x-aws-ec2-metadata-token-ttl-seconds']).toMatch(/^\d+$/);
  now += HOUR - 6 * 60_000;
  expect(await credentials()).toEqual(credentialsOf('M3'));
  now += 2 * 60_000;
  expect(await credentials()).toEqual(credentialsOf('M6'));
  // Refused at once, they are not asked for again; later they are.
  expect(await credentials(true)).toEqual(credentialsOf('M6'));
  now += 11_000;
  expect(await credentials(true)).toEqual(credentialsOf('M9'));
});

test('those that are kept serve until they end, while their service is away', async () => {
  answer = metadata;
  const credentials = providerOf(machine());
  await credentials();
  await close();
  now += HOUR - 60_000;
  expect(await credentials()).toEqual(credentialsOf('M3'));
  now += 61_000;
  await expect(credentials()).rejects.toMatchObject({ kind: 'auth' });
});

test('of the container, with its token from a file, which is read again each time', async () => {
  const file = join(dir, 'token');
  writeFileSync(file, 'first\n');
  answer = () => ({ body: jsonOf('C', now + 6 * 60_000) });
  const credentials = providerOf({ ...container(), AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file });
  expect(await credentials()).toEqual(credentialsOf('C'));
  writeFileSync(file, 'second');
  now += 2 * 60_000;
  await credentials();
  expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/role?id=1', 'first'],
    ['/role?id=1', 'second'],
  ]);
});

test('of a web identity, by STS', async () => {
  const file = join(dir, 'identity');
  writeFileSync(file, 'a.b.c\n');
  answer = () => ({
    body: `<AssumeRoleWithWebIdentityResponse><Credentials><SessionToken>token-W</SessionToken><SecretAccessKey>secret-W</SecretAccessKey><Expiration>${new Date(now + HOUR).toISOString()}</Expiration><AccessKeyId>W</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResponse>`,
  });
  const env = {
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
    AWS_ENDPOINT_URL_STS: origin,
  };
  expect(await providerOf(env)()).toEqual(credentialsOf('W'));
  expect(Object.fromEntries(new URLSearchParams(seen[0]!.body))).toEqual({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: env.AWS_ROLE_ARN,
    RoleSessionName: 'arx',
    WebIdentityToken: 'a.b.c',
  });
  answer = () => ({
    status: 400,
    body: '<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error></ErrorResponse>',
  });
  await expect(providerOf(env)()).rejects.toMatchObject({
    kind: 'auth',
    message: 'cannot get credentials for the bucket: STS refused (ExpiredTokenException)',
  });
});

describe('what is none', () => {
  test.each<[name: string, answers: Answer | 'never', says: string]>([
    ['a refusal', { status: 403, body: 'secret-x' }, 'refused (403)'],
    ['no JSON', { body: '<html>secret-x' }, 'an answer without credentials'],
    ['a value that no header can have', { body: jsonOf('C\u00e9', START) }, 'an answer without credentials'],
    ['an answer that does not end', { body: 'secret-x'.repeat(100_000) }, 'not reached (too long)'],
    ['a redirect', { status: 302, body: '' }, 'refused (302)'],
    ['no answer', 'never', 'not reached (timeout)'],
  ])('%s', async (_, answers, says) => {
    answer = () => answers;
    const error = (await providerOf(container())().catch((reason: unknown) => reason)) as Error;
    expect(error.message).toContain(says);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain('secret');
  });

  test.each([
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://203.0.113.1/role' }, 'nor http on this machine'],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'file:///etc/passwd' }, 'nor http on this machine'],
  ])('an address where a token would be sent in plain: %j', async (env, says) => {
    await expect(providerOf(env)()).rejects.toThrow(says);
  });

  test('a machine without a role, and one that is not to be asked', async () => {
    answer = ({ method }) => (method === 'PUT' ? { body: 'token' } : { status: 404, body: '' });
    await expect(providerOf(machine())()).rejects.toThrow('there are no credentials for the bucket');
    const asked = seen.length;
    await expect(providerOf({ ...machine(), AWS_EC2_METADATA_DISABLED: 'true' })()).rejects.toThrow(
      'there are no credentials',
    );
    expect(seen).toHaveLength(asked);
  });
});
