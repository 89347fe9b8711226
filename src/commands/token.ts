// `arx token`: prints the token alone, for pipes.
import * as z from 'zod';
import type { App } from '../app.ts';

export const Input = z.object({});

/** Runs `arx token`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const { token } = await (await app.session()).bearer();
  // The only command that prints a token.
  if (app.wantsJson) await app.printer.report({ access_token: token }, () => []);
  else await app.printer.bytes(new TextEncoder().encode(`${token}\n`));
}
