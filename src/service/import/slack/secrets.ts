// Removes credentials from a message of a Slack export: tokens, and the secret parts of Slack addresses.
import { Buffer } from 'node:buffer';
import { parseExactJson } from '../../../contract/exact-json.ts';
import { storedJson } from '../stored-json.ts';

/** An address in canonical JSON. Slack separates its parts from labels by `|` and `>`. */
const ADDRESS = /https?:\/\/[^\s"\\<>|]+/gi;
const SLACK_HOST = /^(?:[a-z0-9-]+\.)*slack(?:-[a-z]+)*\.com$/i;
/** Tokens of users, bots, apps and exports: `xoxb-…`, `xoxe.xoxp-…`, `xapp-…`. */
const TOKEN = /\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{8,}/gi;
const SECRET_NAME = /secret|token|sig|auth|key|pass|code|^t$/i;
/** Numbers, times and ids such as C0123ABCD. Any other value may be a credential. */
const HARMLESS_VALUE = /^(?:\d{1,11}(?:\.\d{1,9})?|[A-Z][A-Z0-9]{6,12}|true|false)$/;

/**
 * Returns an entry of a day file without credentials, which whoever reads the message could use. Slack puts them into
 * exports: `url_private` has a token that opens all files of the workspace (`?t=xoxe-…`), `permalink_public` the secret of
 * a shared file. Addresses of Slack also lose invitations, the secrets of webhooks, and each parameter that is no number,
 * time or id. A token anywhere else becomes `[token]`. Throws a RangeError for an entry nested too deep.
 */
export function withoutSecrets(entry: Record<string, unknown>): Record<string, unknown> {
  const text = Buffer.from(storedJson(entry)).toString();
  const clean = text.replace(ADDRESS, cleanAddress).replace(TOKEN, '[token]');
  return clean === text ? entry : (parseExactJson(clean) as Record<string, unknown>);
}

function cleanAddress(address: string): string {
  const [before = '', start = '', authority = ''] = /^(https?:\/\/)([^/?#]*)/i.exec(address) ?? [];
  const [path = ''] = address.slice(before.length).split(/[?#]/, 1);
  const rest = address.slice(before.length + path.length);
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '');
  if (!SLACK_HOST.test(host)) return address;
  return start + host + cleanPath(host, path) + cleanParameters(rest);
}

function cleanPath(host: string, path: string): string {
  if (/^hooks\./i.test(host)) return /^\/[^/]*/.exec(path)?.[0] ?? '';
  return path
    .replace(/(\/[TE][A-Z0-9]{2,}-F[A-Z0-9]{2,})-[^/]*/g, '$1')
    .replace(/\/(?:zt-|enQt|z-app-)[^/]*/g, '');
}

function cleanParameters(rest: string): string {
  const parameters = rest.slice(1).split(/&amp;|[&#?;]/);
  const kept = parameters.filter((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return !SECRET_NAME.test(name) && HARMLESS_VALUE.test(value);
  });
  if (kept.length === parameters.length) return rest;
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
