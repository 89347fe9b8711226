// The bytes of a token that comes from standard input.
import type { World } from '../world.ts';

/** Yields a token. At a terminal it asks and does not echo; from a pipe it reads to the end. */
export async function* tokenBytes({ stdin, signal }: World): AsyncGenerator<Uint8Array> {
  if (stdin.isTTY) {
    const line = await stdin.line('token: ', { hidden: true, signal });
    if (line !== undefined) yield Buffer.from(line, 'latin1');
  } else yield* stdin.bytes();
}
