// The credentials and settings for S3, from where other programs find them: variables, the files of a profile, and roles.
import { join } from 'node:path';
import { Fault } from '../faults.ts';
import { awsTextFile } from './aws-files.ts';
import {
  containerCredentials,
  machineCredentials,
  webIdentityCredentials,
  type RoleCredentials,
} from './aws-roles.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What signs requests to S3. */
export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** Credentials of a role are asked for again this long before they end. */
const REFRESH_BEFORE_MS = 5 * 60_000;
/** Those that a service refuses are asked for again, but not sooner after the last time: its refusal may have another reason. */
const MIN_AGE_MS = 10_000;

/**
 * Returns a function that resolves to the credentials: of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, else of a web identity, else
 * of the profile that AWS_PROFILE names [default] in ~/.aws/credentials or ~/.aws/config, else of the container, else of the
 * machine. They are kept until they end soon, or are called `refused`. It throws Fault 'auth' where there are none, or none that can be
 * sent, and 'network' where a service is not reached and those that were kept have ended; it never quotes one.
 */
export function awsCredentialsOf(
  env: Environment,
  home: string,
  now: () => number,
): (isRefused?: boolean) => Promise<AwsCredentials> {
  let kept: { value: AwsCredentials & Partial<RoleCredentials>; at: number } | undefined;
  let running: Promise<void> | undefined;
  const find = (): Promise<void> => {
    running ??= findCredentials(env, home)
      .then((value) => void (kept = { value, at: now() }))
      .finally(() => (running = undefined));
    return running;
  };
  return async (isRefused = false) => {
    const { expires = Infinity } = kept?.value ?? {};
    const isDue =
      kept === undefined ||
      expires - now() < REFRESH_BEFORE_MS ||
      (isRefused && (expires === Infinity || now() - kept.at >= MIN_AGE_MS));
    if (isDue)
      await find().catch((error: unknown) => {
        if (kept === undefined || expires <= now() || isRefused) throw error;
      });
    const { accessKeyId, secretAccessKey, sessionToken } = kept!.value;
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  };
}

async function findCredentials(
  env: Environment,
  home: string,
): Promise<AwsCredentials & Partial<RoleCredentials>> {
  const given = credentialsIn({
    aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
    aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
    aws_session_token: env['AWS_SESSION_TOKEN'],
  });
  if (given !== undefined) return given;
  const profile = await profileSettings(env, home);
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || profile['region'];
  const found =
    (await webIdentityCredentials(env, region)) ??
    credentialsIn(profile) ??
    (await containerCredentials(env)) ??
    (await machineCredentials(env));
  if (found !== undefined) return found;
  throw new Fault('auth', 'there are no credentials for the bucket', {
    hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; this machine has no role',
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
    ...settingsOf(await awsTextFile(config), section),
    ...settingsOf(await awsTextFile(credentials), profile),
  };
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
