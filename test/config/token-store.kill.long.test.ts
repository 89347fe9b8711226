// kill -9 at every step of a put and a config set (bad inputs I1): what was kept stays, the next one cleans up.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { setSetting } from '../../src/config/settings-file.ts';
import { begun } from './begun-store.ts';
import { buildChild, CALLS, hasStrace, hurtChild } from './children.ts';
import { patient, scratch } from './store-world.ts';

buildChild();

describe.skipIf(!hasStrace)('I1: killed before the n-th', () => {
  test.each(CALLS)('%s', async (call, count) => {
    // One folder for all, so that each child also finds what the dead one before it left.
    const { folder, check, cleans } = await begun();
    const acknowledged = ['old0'];
    let kills = 0;
    // After kills at readlink the next one has ever more of the dead to succeed.
    for (let n = 1; n <= 8; n++) {
      const { signal, output } = await hurtChild(
        `${call}:signal=SIGKILL:when=${n}`,
        folder,
        'put',
        `${call}${n}-`,
      );
      if (output === 'done') acknowledged.push(`${call}${n}-0`);
      check(acknowledged);
      if (signal !== 'SIGKILL') break;
      kills++;
    }
    expect(kills).toBeGreaterThanOrEqual(count);
    await cleans();
  });
});

describe.skipIf(!hasStrace)('I1: config set killed before the n-th', () => {
  test.each(['symlink', 'rename', 'unlink'])('%s', async (call) => {
    const folder = scratch();
    const world = patient();
    await setSetting(folder, 'timeout', '7', undefined, world);
    for (let n = 1; n <= 3; n++) {
      const { signal } = await hurtChild(`${call}:signal=SIGKILL:when=${n}`, folder, 'set', `${call}${n}-`);
      expect(JSON.parse(readFileSync(`${folder}/config.json`, 'utf8'))).toMatchObject({ timeout: 7 });
      if (signal !== 'SIGKILL') break;
    }
    await setSetting(folder, 'retries', '1', undefined, world);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});
