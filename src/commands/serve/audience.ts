// Who can reach the ports of `arx serve`, the highest tier they get, and the line that says so.
import * as z from 'zod';
import { isLoopback } from '../../contract/loopback.ts';
import { TIERS, type Tier } from '../../contract/tier.ts';

/** The input of the option about tiers. */
export const TIER_INPUT = { maxTier: z.enum(TIERS).optional() };

/** What the options say about who reaches the ports. */
type Reach = {
  host: string;
  trustProxy?: string | undefined;
  allowHost?: readonly string[] | undefined;
  maxTier?: Tier | undefined;
};

/**
 * Returns the option because of which strangers reach the ports, undefined where only this machine does. Behind a proxy
 * on this machine every connection is from loopback, so the address of a connection tells nothing.
 */
function optionForStrangers({ host, trustProxy, allowHost }: Reach): string | undefined {
  if (!isLoopback(host)) return '--host';
  if (trustProxy !== undefined) return '--trust-proxy';
  return allowHost === undefined ? undefined : '--allow-host';
}

/**
 * Returns the highest tier that anyone gets: that of `--max-tier`, else `external`. Other users and programs of this machine
 * reach a loopback port too.
 */
export function highestTier({ maxTier = 'external' }: Reach): Tier {
  return maxTier;
}

/**
 * Returns the highest tier of the user who runs the service, undefined where the user gets what everybody gets: the secret
 * goes over loopback only, and `--max-tier` is for everybody.
 */
export function ownerTier({ host, maxTier }: Reach): Tier | undefined {
  return isLoopback(host) && maxTier === undefined ? 'internal' : undefined;
}

/** Returns one line about what strangers can read, undefined where none reach the ports. `takesEvents`: from any token with the scope. */
export function strangersNotice(reach: Reach, takesEvents: boolean): string | undefined {
  const option = optionForStrangers(reach);
  if (option === undefined) return undefined;
  const tier = highestTier(reach);
  const rest = 'ids and places of the rest';
  const readable = {
    external: `messages and files of tier external, and ${rest}`,
    internal: `messages and files up to tier internal, and ${rest}`,
    mirror: 'all messages and files',
  }[tier];
  const events = takesEvents && tier !== 'external' ? ', and can send events' : '';
  return `anyone who reaches this service (${option}) can read ${readable}${events}`;
}
