// A copy of the sample archive with files of all three tiers, and one client logged in at each tier.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TIERS, type Tier } from '../../src/contract/tier.ts';
import { openArchive, type OpenArchive } from '../../src/service/index.ts';
import { arx, type Ran } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { NOON } from '../support/fake-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The origin that the local archive names for its files. */
export const ASSETS = 'http://127.0.0.1:4748';

export type FileRow = {
  n: number;
  tier: Tier;
  redacted: number;
  filename: string;
  sha256: string;
  message: number;
};

export type Tiered = {
  dir: string;
  archive: OpenArchive;
  /** A command of the person of this tier; all read the same local archive. */
  as(tier: Tier, line: string): Promise<Ran>;
  files(): Promise<FileRow[]>;
  /** Two messages with files that only mirror may read. */
  highest: number[];
  close(): Promise<void>;
};

export async function openTiered(): Promise<Tiered> {
  const dir = tempFolder('tiers');
  await sampleData(join(dir, 'data'));
  const archive = await openArchive({ sleep, dir: join(dir, 'data'), now: () => NOON, randomBytes });
  const files = () => archive.database.all<FileRow>('SELECT * FROM attachments ORDER BY n');
  // The sample itself has letters to everybody and letters to one person.
  const highest = (await files())
    .filter(
      ({ tier, redacted, filename }) => tier === 'external' && redacted === 0 && filename !== 'emblem.png',
    )
    .slice(3, 5)
    .map(({ message }) => message);
  for (const n of highest) {
    await archive.database.run(`UPDATE messages SET tier = 'mirror' WHERE n = $1`, [n]);
    await archive.database.run(`UPDATE attachments SET tier = 'mirror' WHERE message = $1`, [n]);
    await archive.database.run(
      `UPDATE conversations SET tier = 'mirror' WHERE n = (SELECT conversation FROM messages WHERE n = $1)`,
      [n],
    );
  }
  for (const tier of TIERS) mkdirSync(join(dir, tier));
  return {
    dir,
    archive,
    files,
    highest,
    as: (tier, line) =>
      arx(join(dir, tier), line, { env: { LANG: 'C.UTF-8', ARX_DATA_DIR: join(dir, 'data') } }),
    async close() {
      await archive.close();
    },
  };
}

/** Whether a reader of this tier may read rows of that one, as the interface's tiers are ordered. */
export function covers(reader: Tier, tier: Tier): boolean {
  return TIERS.indexOf(tier) <= TIERS.indexOf(reader);
}
