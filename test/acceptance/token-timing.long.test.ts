// N9: the time that a wrong token takes does not depend on how much of it was right. Measured, hence long.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleArchive, tokenFor, type Sample } from '../support/archive.ts';
import { call } from '../support/call.ts';

let sample: Sample;
let token: string;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 2 });
  token = await tokenFor(sample.service);
});
afterAll(() => sample.close());

const ROUNDS = 3_000;

/** Welch's t of the faster nine tenths of each: what else the machine did is in the rest. */
function tOf(one: number[], other: number[]): number {
  const stats = (times: number[]) => {
    const kept = times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
    const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
    const variance = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (kept.length - 1);
    return { mean, error: variance / kept.length };
  };
  const [a, b] = [stats(one), stats(other)];
  return (a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

/** Times two inputs in turns, each first as often as the other. The smallest of three: a real difference is in all. */
async function difference(look: (token: string) => Promise<void>): Promise<number> {
  const nearly = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  const wrong = `arx_${randomBytes(32).toString('base64url')}`;
  const runs: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const begun = process.hrtime.bigint();
        await look(which === 0 ? nearly : wrong);
        times[which].push(Number(process.hrtime.bigint() - begun));
      }
    }
    runs.push(Math.abs(tOf(...times)));
    if (runs.at(-1)! < 4.5) break;
  }
  return Math.min(...runs);
}

test('N9 a token that is wrong in its last character, and one that is wrong in all', async () => {
  const look = async (guess: string) => {
    expect((await call(sample.service, '/v1/conversations', { token: guess })).status).toBe(401);
  };
  expect(await difference(look)).toBeLessThan(4.5);
});

test('N9 a comparison that stops at the first difference would be seen', async () => {
  const look = async (guess: string) => {
    for (let at = 0; at < token.length && guess[at] === token[at]; at += 1) {
      // What a character costs in a slower language.
      for (let spin = 0; spin < 200; spin += 1) Math.sqrt(spin);
    }
  };
  expect(await difference(look)).toBeGreaterThan(4.5);
});
