// Makes an archive of many generated messages; bundled by rows.mjs.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openArchive } from '../../src/service/index.ts';
import { generate } from '../support/generated-rows.ts';

/** On average a generated conversation has more than four messages. */
const MESSAGES_PER_CONVERSATION = 4;

/** Fills the folder with at least `messages` messages and returns how many there are. */
export async function makeArchive(dir: string, messages: number): Promise<number> {
  const archive = await openArchive({ dir, sleep: (ms) => sleep(ms), now: Date.now, randomBytes });
  try {
    return (await generate(archive.database, Math.ceil(messages / MESSAGES_PER_CONVERSATION))).messages;
  } finally {
    await archive.close();
  }
}
