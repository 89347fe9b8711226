// `arx whoami`: shows what is known of the token in use, without the token itself.
import * as z from 'zod';
import type { App } from '../app.ts';
import { effectiveExpiry, isExpired } from '../config/token-expiry.ts';
import type { TokenEntry } from '../config/token-store.ts';
import { Fault } from '../faults.ts';
import { identityView, loweredIdentityView } from '../format/views/index.ts';
import type { Identity } from '../format/views/identity.ts';

export const Input = z.object({});

/** Runs `arx whoami`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const session = await app.session();
  const { entry, source } = await session.bearer();
  if (entry === undefined) {
    throw new Fault(
      'partial',
      `the token comes from ${source === 'environment' ? 'ARX_TOKEN' : 'a token file'}; nothing else is known of it`,
    );
  }
  const { access_tier: tier, given_tier: given } = entry;
  await app.printer.record(given === undefined ? identityView : loweredIdentityView, identityOf(entry, app));
  if (given !== undefined && tier !== undefined)
    app.notice(`the token is for tier ${tier}, and the service gave tier ${given} at the last request`);
}

/** Returns a stored token as `whoami` and `login` show it. */
export function identityOf(entry: TokenEntry, app: App): Identity {
  const { access_token: _, ...rest } = entry;
  const expiry = effectiveExpiry(entry);
  return {
    ...rest,
    ...(expiry === undefined ? {} : { effective_expires_at: new Date(expiry).toISOString() }),
    expired: isExpired(entry, app.world.now()),
    stored_in: app.tokens.place,
  };
}
