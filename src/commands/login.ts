// `arx login`: obtains a token for this service and profile and stores it in place of the earlier one.
import * as z from 'zod';
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import { identityView } from '../format/views/index.ts';
import { identityOf } from './whoami.ts';

// Its three options are also settings, so their values are in app.settings.
export const Input = z.object({});

/** Runs `arx login`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const { client_id, observer_tier, requested_tier } = app.settings;
  // The owner of the local archive is not asked.
  const own = app.isRemote ? undefined : { client: 'arx', tier: 'internal' };
  if (own === undefined && !app.mayAsk) refuseMissing({ client_id, observer_tier, requested_tier });
  const client = client_id.value ?? own?.client ?? (await ask(app, 'client id', '--client-id'));
  const observer =
    observer_tier.value ?? own?.tier ?? (await ask(app, 'observer tier', '--observer-tier', 'internal'));
  const requested =
    requested_tier.value ??
    (own === undefined ? await ask(app, 'requested tier', '--requested-tier', observer) : observer);
  const session = await app.session();
  const entry = await session.login({
    client_id: client,
    observer_tier: observer,
    requested_tier: requested,
  });
  await app.printer.record(identityView, identityOf(entry, app));
}

/** Throws Fault 'usage', which names everything that is missing, so that the next attempt can succeed. */
function refuseMissing(given: Record<string, { value: unknown }>): void {
  const missing = Object.entries(given).flatMap(([key, { value }]) =>
    value === undefined ? [`--${key.replace('_', '-')}`] : [],
  );
  if (missing.length === 0) return;
  throw new Fault('usage', `${missing.join(', ')} missing, and there is no terminal to ask on`);
}

async function ask(app: App, what: string, flag: string, fallback?: string): Promise<string> {
  const prompt = `${what}${fallback === undefined ? '' : ` [${fallback}]`}: `;
  const answer = (await app.world.stdin.line(prompt, { signal: app.world.signal }))?.trim();
  const value = answer === '' ? fallback : answer;
  if (value === undefined || value === '')
    throw new Fault('usage', `${flag} is missing`, { kept: 'nothing changed' });
  return value;
}
