// The archive whose tokens the commands of `arx tokens` list or revoke, and a token as they show it.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import type { ShownToken } from '../../format/views/index.ts';
import type { IssuedToken } from '../../service/administration.ts';
import type { OpenArchive } from '../../service/index.ts';
import { archivePlace, DATABASE_INPUT, localCommand } from '../archive/database-option.ts';

/** Characters of the hash of a token by which it is shown and chosen: 48 bits. */
export const TOKEN_ID_LENGTH = 12;

/**
 * Opens the archive on this machine, or the one that the options name. Throws Fault 'usage' where a base URL is set: a service of
 * another operator lets nobody see its tokens.
 */
export async function openIssuer(
  verb: 'ls' | 'revoke',
  options: z.infer<z.ZodObject<typeof DATABASE_INPUT>>,
  { readOnly }: { readOnly: boolean },
  app: App,
): Promise<OpenArchive> {
  if (app.isRemote)
    throw new Fault(
      'usage',
      `tokens ${verb} works on the database of an archive, and a base URL is set: a service shows its tokens to nobody`,
      {
        hint: `run it on the machine of the service, with --local, and --database if it uses PostgreSQL: ${localCommand(app)}`,
      },
    );
  const place = (await archivePlace(options, app)) ?? { dir: app.directories.data };
  return app.openArchive({ ...place, mustExist: true, readOnly });
}

/** Returns a stored token as it is shown. */
export function shownToken(
  { sha256, client_id, tier, scope, issued_ms, expires_ms }: IssuedToken,
  nowMs: number,
): ShownToken {
  return {
    id: sha256.slice(0, TOKEN_ID_LENGTH),
    client_id,
    access_tier: tier,
    scope: scope.split(' '),
    issued_at: new Date(issued_ms).toISOString(),
    expires_at: new Date(expires_ms).toISOString(),
    expired: expires_ms <= nowMs,
  };
}
