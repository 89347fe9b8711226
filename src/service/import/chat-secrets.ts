// Removes credentials from messages of chats that servers of many hosts keep: Mattermost and Zulip.
import { Buffer } from 'node:buffer';
import { parseExactJson } from '../../contract/exact-json.ts';
import { isObject } from './json-value.ts';
import { storedJson } from './stored-json.ts';

/** Members whose values are credentials, wherever they stand. */
const SECRET_MEMBERS =
  /^(?:auth_?data|auth_service_data|password|passwd|api_?key|access_?token|refresh_?token|bot_?token|token|secret|client_?secret|email_?token|invite_?id|integration|webhook_?url|hook_?url)$/i;
/** Parts of addresses that let whoever has them in: what is before them stays. */
const ADDRESS_SECRETS: readonly [secret: RegExp, kept: string][] = [
  // Incoming webhooks, invitations and password resets of Mattermost.
  [/(\/hooks\/)[a-z0-9]{20,}/gi, '$1[token]'],
  [/(\/signup_user_complete\/?\?)[^\s"\\<>)\]]+/gi, '$1[token]'],
  [/(\/reset_password_complete\?)[^\s"\\<>)\]]+/gi, '$1[token]'],
  // Invitations, confirmations, password resets and temporary addresses of files of Zulip.
  [/(\/join\/)[a-z0-9]{16,}/gi, '$1[token]'],
  [/(\/accounts\/do_confirm\/)[a-z0-9]{16,}/gi, '$1[token]'],
  [/(\/accounts\/password\/reset\/)[^\s"\\<>)\]]+/gi, '$1[token]'],
  [/(\/user_uploads\/temporary\/)[^\s"\\/<>)\]]+/gi, '$1[token]'],
  [/([?&;](?:api_key|access_token)=)[^\s"\\&#<>)\]]+/gi, '$1[token]'],
];

/**
 * Returns a message as exported without credentials, which whoever reads it could use: members with names such as
 * `token`, and the secret parts of addresses, which become `[token]`. Throws a RangeError for a value nested too deep.
 */
export function withoutCredentials(message: Record<string, unknown>): Record<string, unknown> {
  const text = Buffer.from(storedJson(message)).toString();
  return withoutSecretMembers(parseExactJson(withoutSecretAddresses(text))) as Record<string, unknown>;
}

function withoutSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretMembers);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !SECRET_MEMBERS.test(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutSecretMembers(member)]));
}

/** Returns a text with `[token]` in place of the secret parts of its addresses. */
export function withoutSecretAddresses(text: string): string {
  return ADDRESS_SECRETS.reduce((before, [secret, kept]) => before.replace(secret, kept), text);
}
