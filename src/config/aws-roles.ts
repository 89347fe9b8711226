// The credentials of a role, from where AWS gives them to programs: a web identity, the service of a container, that of a machine.
import { Buffer } from 'node:buffer';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isLoopback } from '../contract/loopback.ts';
import { Fault } from '../faults.ts';
import { awsTextFile } from './aws-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Credentials that end at `expires`, in milliseconds since the epoch. */
export type RoleCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expires: number;
};

/** For each request to the service of a container or a machine, which is near, and to STS. */
const NEAR_TIMEOUT_MS = 1_000;
const STS_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

const CONTAINER_ORIGIN = 'http://169.254.170.2';
const METADATA_ORIGIN = 'http://169.254.169.254';
/** Those of ECS and EKS. */
const CONTAINER_HOSTS = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']);

/** How long a token for the metadata of a machine is asked for. It is used at once. */
const TOKEN_SECONDS = 300;

/**
 * Returns the credentials of AWS_ROLE_ARN for the token in AWS_WEB_IDENTITY_TOKEN_FILE, as STS gives them; undefined without these
 * variables. Throws Fault 'auth' where STS refuses, 'network' where it is not reached.
 */
export async function webIdentityCredentials(
  env: Environment,
  region: string | undefined,
): Promise<RoleCredentials | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = env;
  if (!file || !role) return undefined;
  const given = env['AWS_ENDPOINT_URL_STS'] || env['AWS_ENDPOINT_URL'];
  const url = roleUrl(given || stsEndpoint(region), 'AWS_ENDPOINT_URL_STS', isLoopback);
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] || 'arx',
    WebIdentityToken: (await awsTextFile(file)).trim(),
  });
  const answer = await ask('STS', {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    timeoutMs: STS_TIMEOUT_MS,
  });
  const member = (name: string): string | undefined =>
    answer.text.split(`<${name}>`, 2)[1]?.split(`</${name}>`, 1)[0];
  if (answer.status !== 200) throw refused('STS', member('Code') ?? String(answer.status));
  return roleCredentials('STS', {
    AccessKeyId: member('AccessKeyId'),
    SecretAccessKey: member('SecretAccessKey'),
    Token: member('SessionToken'),
    Expiration: member('Expiration'),
  });
}

function stsEndpoint(region: string | undefined): string {
  if (region === undefined || !/^[a-z\d-]{1,64}$/.test(region)) return 'https://sts.amazonaws.com';
  return `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/**
 * Returns the credentials that the service of the container gives (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI); undefined
 * without these variables. Throws Fault 'auth' and 'network'.
 */
export async function containerCredentials(env: Environment): Promise<RoleCredentials | undefined> {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const full = env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  if (!relative && !full) return undefined;
  const url = relative
    ? new URL(`${CONTAINER_ORIGIN}/${relative.replace(/^\/+/, '')}`)
    : roleUrl(full!, 'AWS_CONTAINER_CREDENTIALS_FULL_URI', isContainerHost);
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? (await awsTextFile(file)).trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  if (token && !/^[ -~]+$/.test(token))
    throw refused(NAMES.container, 'its token has a character that cannot be sent in a header');
  const headers = { accept: 'application/json', ...(token ? { authorization: token } : {}) };
  const answer = await ask(NAMES.container, { method: 'GET', url, headers, timeoutMs: NEAR_TIMEOUT_MS });
  if (answer.status !== 200) throw refused(NAMES.container, String(answer.status));
  return roleCredentials(NAMES.container, jsonOf(answer.text));
}

function isContainerHost(host: string): boolean {
  return isLoopback(host) || CONTAINER_HOSTS.has(host);
}

/**
 * Returns the credentials of the role of this machine, from its metadata service (version 2: a token first); undefined where there is
 * no such service or no role, and where AWS_EC2_METADATA_DISABLED is `true`.
 */
export async function machineCredentials(env: Environment): Promise<RoleCredentials | undefined> {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined;
  const origin = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || METADATA_ORIGIN;
  // Its usual address is plain http, which never leaves the machine.
  const base = roleUrl(origin, 'AWS_EC2_METADATA_SERVICE_ENDPOINT', () => true);
  const name = NAMES.machine;
  const begun = await ask(name, {
    method: 'PUT',
    url: new URL('/latest/api/token', base),
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_SECONDS) },
    timeoutMs: NEAR_TIMEOUT_MS,
  }).catch(() => undefined);
  if (begun?.status !== 200 || !/^[!-~]+$/.test(begun.text)) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': begun.text };
  const get = (path: string) =>
    ask(name, {
      method: 'GET',
      url: new URL(`/latest/meta-data/iam/security-credentials/${path}`, base),
      headers,
      timeoutMs: NEAR_TIMEOUT_MS,
    });
  const roles = await get('');
  const role = roles.text.split('\n', 1)[0]!.trim();
  if (roles.status === 404 || role === '') return undefined;
  const answer = await get(encodeURIComponent(role));
  if (answer.status !== 200) throw refused(name, String(answer.status));
  return roleCredentials(name, jsonOf(answer.text));
}

const NAMES = { container: 'the service of the container', machine: 'the metadata service of the machine' };

/** Returns the URL of a service. Throws Fault 'usage' for none, and for plain http to a host that is not `isNear`. */
function roleUrl(text: string, variable: string, isNear: (host: string) => boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:' && isNear(url.hostname);
  if (url !== undefined && (isPlain || url.protocol === 'https:')) return url;
  throw new Fault('usage', `${variable} is no https address, nor http on this machine`);
}

type Asked = {
  method: 'GET' | 'PUT' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
};

/** Sends one request, follows no redirect, and returns the answer. Throws Fault 'network', which quotes nothing of it. */
function ask(
  name: string,
  { method, url, headers, body = '', timeoutMs }: Asked,
): Promise<{ status: number; text: string }> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const signal = AbortSignal.timeout(timeoutMs);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(
        new Fault(
          'network',
          `cannot get credentials for the bucket: ${name} is not reached (${signal.aborted ? 'timeout' : error.code})`,
        ),
      );
    // Without the last, NODE_TLS_REJECT_UNAUTHORIZED=0 would switch off the check of certificates.
    const options = { method, headers: { ...headers, ...length }, signal, rejectUnauthorized: true };
    const sent = send(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > MAX_ANSWER_BYTES) sent.destroy(Object.assign(new Error(), { code: 'too long' }));
        else chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function roleCredentials(name: string, found: Record<string, unknown>): RoleCredentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = found;
  const texts = [AccessKeyId, SecretAccessKey, Token];
  const expires = Date.parse(String(Expiration));
  const isWhole = texts.every((text) => typeof text === 'string' && /^[!-~]+$/.test(text));
  if (!isWhole || Number.isNaN(expires)) throw refused(name, 'an answer without credentials');
  const [accessKeyId, secretAccessKey, sessionToken] = texts as [string, string, string];
  return { accessKeyId, secretAccessKey, sessionToken, expires };
}

function refused(name: string, why: string): Fault {
  return new Fault('auth', `cannot get credentials for the bucket: ${name} refused (${why.slice(0, 100)})`);
}
