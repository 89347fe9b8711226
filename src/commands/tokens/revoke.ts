// `arx tokens revoke`: ends tokens that an archive issued, by id, by client or all.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { revokedTokenView } from '../../format/views/index.ts';
import type { IssuedToken } from '../../service/administration.ts';
import { CONFIRM_INPUT, confirm } from '../shared/confirm.ts';
import { DATABASE_INPUT } from '../archive/database-option.ts';
import { openIssuer, shownToken, TOKEN_ID_LENGTH } from './issuer.ts';

export const Input = z.object({
  ids: z.array(z.string()).default([]),
  clientId: z.string().min(1).optional(),
  all: z.boolean().default(false),
  ...CONFIRM_INPUT,
  ...DATABASE_INPUT,
});
type Input = z.infer<typeof Input>;

/** Runs `arx tokens revoke`. */
export async function run(input: Input, app: App): Promise<void> {
  const isSelected = selection(input);
  const archive = await openIssuer('revoke', input, { readOnly: input.dryRun }, app);
  const { issuedTokens, revokeTokens } = await import('../../service/administration.ts');
  const found = (await issuedTokens(archive.database)).filter(isSelected);
  refuseUnknown(input, found);
  if (input.dryRun) app.notice(`dry run, nothing is changed; would revoke ${plural(found.length, 'token')}`);
  else await confirm(`revoke ${plural(found.length, 'token')}?`, input, app);
  const now = app.world.now();
  const revoked = !input.dryRun;
  const tokens = revoked ? await revokeTokens(archive, isSelected) : found;
  const rows = tokens.map((token) => ({ ...shownToken(token, now), revoked }));
  await app.printer.list(revokedTokenView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
  if (revoked && app.printer.mustSayDoubts())
    app.notice('clients that log in by themselves get new tokens: the service asks for no credentials');
}

/** Returns what selects the tokens that are meant. Throws Fault 'usage' unless they are named in one way. */
function selection({ ids, clientId, all }: Input): (token: IssuedToken) => boolean {
  const ways = [ids.length > 0, clientId !== undefined, all].filter(Boolean).length;
  if (ways !== 1)
    throw new Fault('usage', 'which tokens: give ids, --client-id or --all', {
      hint: 'arx tokens ls lists them',
    });
  const wrong = ids.find((id) => id.length < TOKEN_ID_LENGTH || !/^[\da-f]{1,64}$/i.test(id));
  if (wrong !== undefined)
    // What is no id may be a token, so it is not quoted.
    throw new Fault(
      'usage',
      `an id is at least ${TOKEN_ID_LENGTH} characters of the SHA-256 of a token, in hexadecimal`,
      { hint: 'arx tokens ls lists the ids; of a token: printf %s "$TOKEN" | sha256sum' },
    );
  return (token) => all || token.client_id === clientId || ids.some((id) => isIdOf(id, token));
}

const isIdOf = (id: string, { sha256 }: IssuedToken): boolean => sha256.startsWith(id.toLowerCase());

/** Throws Fault 'not_found' for an id or a client without a token. */
function refuseUnknown({ ids, clientId }: Input, found: readonly IssuedToken[]): void {
  const unknown = ids.find((id) => !found.some((token) => isIdOf(id, token)));
  const none = unknown ?? (found.length === 0 ? clientId : undefined);
  if (none === undefined) return;
  throw new Fault(
    'not_found',
    `no token ${unknown === undefined ? 'of the client' : 'with the id'} ${none} in this archive`,
    {
      hint: 'arx tokens ls lists them; arx tokens revoke --all also ends those that a --read-only service issued',
    },
  );
}
