// The list of settings: the type, meaning and check of each.
import { withoutFinalSlashes } from '../client/base-url.ts';
import { isLoopback } from '../contract/loopback.ts';
import { OUTPUTS, type Output } from '../format/outputs.ts';

export { OUTPUTS };

/** The values of all settings, by key. */
export type SettingValues = {
  base_url: string | undefined;
  asset_url: string | undefined;
  output: Output | undefined;
  /** Seconds. */
  timeout: number;
  /** Seconds. */
  connect_timeout: number;
  retries: number;
  color: 'auto' | 'always' | 'never';
  pager: string | undefined;
  profile: string;
  data_dir: string;
  token_store: 'file' | 'keyring';
  proxy: string | undefined;
  insecure_http: boolean;
  client_id: string | undefined;
  observer_tier: string | undefined;
  requested_tier: string | undefined;
};
/** The name of a setting. */
export type SettingKey = keyof SettingValues;

type Key<T> = {
  /** What the setting is, for users. */
  meaning: string;
  /** Returns the value of a text, or an {@link InvalidSettingValue} that says what it must be. */
  read(text: string): NonNullable<T> | InvalidSettingValue;
  /** It cannot be set inside a profile. */
  global?: true;
};

/** The result of {@link Key.read} for a text that is not a valid value. `reason` begins with `must`. */
export class InvalidSettingValue {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** All settings. */
export const KEYS: { [K in SettingKey]: Key<SettingValues[K]> } = {
  base_url: { meaning: 'address of the archive service (default: the local archive)', read: readUrl },
  asset_url: { meaning: 'address that its files are served from', read: readUrl },
  output: { meaning: 'form of the output', read: oneOf(...OUTPUTS) },
  timeout: { meaning: 'longest wait for one answer, in seconds', read: numberWithin(0.1, 3600) },
  connect_timeout: { meaning: 'longest wait for a connection, in seconds', read: numberWithin(0.1, 3600) },
  retries: { meaning: 'retries after a temporary failure', read: integerWithin(0, 10) },
  color: { meaning: 'when to print in colour', read: oneOf('auto', 'always', 'never') },
  pager: { meaning: 'program that shows long texts (default: PAGER, else less)', read: textUpTo(4096) },
  profile: { meaning: 'profile used when none is named', read: readProfile, global: true },
  data_dir: { meaning: 'folder of the local archive', read: textUpTo(4096) },
  token_store: {
    meaning: 'where arx login stores tokens: file or keyring (of the system)',
    read: oneOf('file', 'keyring'),
    global: true,
  },
  proxy: { meaning: 'address of a proxy; proxy variables are ignored', read: readProxy },
  insecure_http: { meaning: 'allow plain http to another machine', read: readBoolean },
  client_id: { meaning: 'client id for login', read: textUpTo(200) },
  observer_tier: { meaning: 'observer tier for login', read: textUpTo(64) },
  requested_tier: { meaning: 'tier to ask for at login', read: textUpTo(64) },
};
/** The names of all settings, in the order of {@link KEYS}. */
export const SETTING_KEYS = Object.keys(KEYS) as SettingKey[];

/** Returns whether a setting has this name. */
export function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(KEYS, name);
}

/** Plain http to another machine is allowed here. The client refuses it, since that depends on insecure_http. */
function readUrl(text: string): string | InvalidSettingValue {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return new InvalidSettingValue(`must be an http or https URL${urlMeant(text)}`);
  if (url.username !== '' || url.password !== '')
    return new InvalidSettingValue('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '')
    return new InvalidSettingValue('must not have a query or fragment');
  return url.origin + withoutFinalSlashes(url.pathname);
}

/** What is longer may be a token. */
const MAX_SHOWN_ADDRESS = 100;

/** Returns the URL that an address without `http://` or `https://` was meant to be, as the end of a sentence. */
function urlMeant(text: string): string {
  const meant = `http://${text}`;
  const isAddress = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:))(?::\d{1,5})?(?:\/[\w./~-]*)?$/.test(text);
  if (!isAddress || text.length > MAX_SHOWN_ADDRESS || !URL.canParse(meant)) return '';
  return `, such as ${isLoopback(new URL(meant).hostname) ? meant : `https://${text}`}`;
}

/** The parser of URLs also takes `http:u:p@host`, in which nobody who masks passwords looks for one. */
function readProxy(text: string): string | InvalidSettingValue {
  const url = /^https?:\/\/[^\s/\\]+\/?$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return new InvalidSettingValue('must be an http or https URL');
  return url.href;
}

function readProfile(text: string): string | InvalidSettingValue {
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@-]{0,63}$/u.test(text)) return text;
  return new InvalidSettingValue(
    'must be 1 to 64 letters, digits and . _ @ -, beginning with a letter or digit',
  );
}

function readBoolean(text: string): boolean | InvalidSettingValue {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  return new InvalidSettingValue('must be true or false');
}

/** Returns the environment variable of a setting. */
export function variableOf(key: SettingKey): string {
  return `ARX_${key.toUpperCase()}`;
}

function oneOf<T extends string>(...values: T[]) {
  return (text: string): T | InvalidSettingValue =>
    values.find((value) => value === text) ?? new InvalidSettingValue(`must be one of ${values.join(', ')}`);
}

function numberWithin(min: number, max: number) {
  return (text: string): number | InvalidSettingValue => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : new InvalidSettingValue(`must be a number from ${min} to ${max}`);
  };
}

function integerWithin(min: number, max: number) {
  return (text: string): number | InvalidSettingValue => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : new InvalidSettingValue(`must be a whole number from ${min} to ${max}`);
  };
}

function textUpTo(maxLength: number) {
  return (text: string): string | InvalidSettingValue => {
    if (text !== '' && text.length <= maxLength && !/\p{Cc}/u.test(text)) return text;
    return new InvalidSettingValue(`must be 1 to ${maxLength} characters without control characters`);
  };
}
