// A token store with one token in it, to be hurt, and what must be true of it afterwards.
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { openTokenStore } from '../../src/config/token-store.ts';
import { entry, patient, scratch } from './store-world.ts';

export async function begun() {
  const folder = scratch();
  const store = openTokenStore(folder, patient());
  await store.put(entry({ origin: 'old0' }));
  /** What every reader must find whatever happened: whole, and with all that was acknowledged. */
  const check = (acknowledged: string[]) => {
    const { tokens } = JSON.parse(readFileSync(store.place, 'utf8')) as { tokens: { origin: string }[] };
    expect(tokens.map(({ origin }) => origin)).toEqual(expect.arrayContaining(acknowledged));
  };
  const cleans = async () => {
    await store.put(entry({ origin: 'next0' }));
    expect(readdirSync(folder)).toEqual(['tokens.json']);
  };
  return { folder, check, cleans };
}
