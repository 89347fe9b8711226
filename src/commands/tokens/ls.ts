// `arx tokens ls`: lists the tokens that an archive issued, without the tokens themselves.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { issuedTokenView } from '../../format/views/index.ts';
import { DATABASE_INPUT } from '../archive/database-option.ts';
import { openIssuer, shownToken } from './issuer.ts';

export const Input = z.object(DATABASE_INPUT);

/** Runs `arx tokens ls`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const { database } = await openIssuer('ls', input, { readOnly: true }, app);
  const { issuedTokens } = await import('../../service/administration.ts');
  const now = app.world.now();
  const rows = (await issuedTokens(database)).map((token) => shownToken(token, now));
  await app.printer.list(issuedTokenView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
