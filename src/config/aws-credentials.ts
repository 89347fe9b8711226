// The credentials and settings for S3, from where other programs find them: variables, then the files of a profile.
import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../faults.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What signs requests to S3. */
export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** A file of settings has a few kilobytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Returns the credentials of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, else those of the profile that AWS_PROFILE names
 * [default] in ~/.aws/credentials or ~/.aws/config. Throws Fault 'auth' where there are none, or none that can be sent; it never quotes one.
 */
export async function awsCredentials(env: Environment, home: string): Promise<AwsCredentials> {
  const given = credentialsIn({
    aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
    aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
    aws_session_token: env['AWS_SESSION_TOKEN'],
  });
  const found = given ?? credentialsIn(await profileSettings(env, home));
  if (found !== undefined) return found;
  throw new Fault('auth', 'there are no credentials for the bucket', {
    hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; eval "$(aws configure export-credentials --format env)" sets those of a role',
  });
}

/** Returns the endpoint and the region that the variables or the profile name. */
export async function awsDefaults(
  env: Environment,
  home: string,
): Promise<{ endpoint: string | undefined; region: string | undefined }> {
  const settings = await profileSettings(env, home);
  return {
    endpoint: env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || settings['endpoint_url'],
    region: env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || settings['region'],
  };
}

function credentialsIn(settings: Environment): AwsCredentials | undefined {
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
  } = settings;
  if (!accessKeyId || !secretAccessKey) return undefined;
  // Both are sent in headers. fetch would refuse them, and its error quotes them.
  if (![accessKeyId, sessionToken || 'x'].every((text) => /^[!-~]+$/.test(text)))
    throw new Fault(
      'auth',
      'the credentials for the bucket have a character that cannot be sent in a header',
    );
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** Returns the settings of the profile; those of the file of credentials win. */
async function profileSettings(env: Environment, home: string): Promise<Environment> {
  const profile = env['AWS_PROFILE'] || 'default';
  const section = profile === 'default' ? 'default' : `profile ${profile}`;
  const config = env['AWS_CONFIG_FILE'] || join(home, '.aws', 'config');
  const credentials = env['AWS_SHARED_CREDENTIALS_FILE'] || join(home, '.aws', 'credentials');
  return {
    ...settingsOf(await textOf(config), section),
    ...settingsOf(await textOf(credentials), profile),
  };
}

async function textOf(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK, a FIFO that has no writer would be waited for, and no signal would end that.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(MAX_FILE_BYTES + 1),
        0,
        MAX_FILE_BYTES + 1,
        0,
      );
      if (bytesRead > MAX_FILE_BYTES) throw new Fault('auth', `cannot read ${path}: it is larger than 1 MiB`);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (error instanceof Fault) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return '';
    throw new Fault('auth', `cannot read ${path} (${code})`);
  }
}

/** Returns `name = value` of one section. Lines that are indented belong to a setting of several, and are left out. */
function settingsOf(text: string, section: string): Environment {
  const settings = new Map<string, string>();
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) isInside = trimmed === `[${section}]`;
    if (!isInside || trimmed !== line.trimEnd() || /^[[#;]/.test(trimmed)) continue;
    const at = trimmed.indexOf('=');
    if (at > 0) settings.set(trimmed.slice(0, at).trim().toLowerCase(), trimmed.slice(at + 1).trim());
  }
  return Object.fromEntries(settings);
}
