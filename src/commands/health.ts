// `arx health`: shows the health of the service, asked without a token.
import * as z from 'zod';
import type { App } from '../app.ts';
import type { Health } from '../contract/health.ts';
import { Fault } from '../faults.ts';
import { safeText } from '../client/safe-text.ts';
import { healthView } from '../format/views/index.ts';
import { hasFileAddresses } from './shared/file-addresses.ts';
import { withoutSecrets } from './shared/without-secrets.ts';

export const Input = z.object({});

/** Runs `arx health`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.anonymousClient();
  const { body: received } = await client.health();
  const { asset_url: _, ...withoutAddress } = received;
  const body = hasFileAddresses(app) ? received : withoutAddress;
  const secrets = app.isRemote ? await (await app.session()).knownSecrets() : [];
  await app.printer.record(
    healthView,
    secrets.length === 0 ? body : (withoutSecrets(body, secrets) as Health),
  );
  if (NOT_WELL.test(body.status))
    app.addFault(new Fault('busy', `the service says that it is ${safeText(body.status.toLowerCase(), 40)}`));
}

/** Words for a service that cannot answer. */
const NOT_WELL =
  /^(down|not ok|unhealthy|fail(ed|ing|ure)?|error|critical|unavailable|offline|outage|out[ _-]of[ _-]service)$/i;
