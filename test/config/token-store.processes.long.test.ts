// Several processes at one store: none loses what another one has stored (faults H).
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSettingsFile } from '../../src/config/settings-file.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { buildChild, startChild } from './children.ts';
import { entry, scratch, storeWorld } from './store-world.ts';

buildChild();

async function together(...words: string[][]) {
  const children = await Promise.all(words.map((each) => startChild(...each)));
  for (const child of children) child.go();
  return (await Promise.all(children.map((child) => child.ended))).map(({ output }) => output);
}

test('H1: 8 processes keep 25 tokens each: all 200 are there', async () => {
  const folder = scratch();
  const names = Array.from({ length: 8 }, (_, index) => `https://host${index}.example/`);
  const outputs = await together(...names.map((name) => [folder, 'put', name, '25']));
  expect(outputs).toEqual(names.map(() => 'done'));
  const kept = await openTokenStore(folder, storeWorld()).list();
  const wanted = names.flatMap((name) => Array.from({ length: 25 }, (_, index) => `${name}${index}`));
  expect(kept.map(({ origin }) => origin).sort()).toEqual(wanted.sort());
  expect(readdirSync(folder)).toEqual(['tokens.json']);
});

test('H2: login and logout race to one of the two end states, a third token untouched', async () => {
  const folder = scratch();
  const store = openTokenStore(folder, storeWorld());
  await store.put(entry({ origin: 'other' }));
  const outputs = await together([folder, 'put', 'a', '10'], [folder, 'remove', 'a', '10']);
  expect(outputs).toEqual(['done', 'done']);
  const origins = (await store.list()).map(({ origin }) => origin);
  expect(origins[0]).toBe('other');
  expect(new Set(origins).size).toBe(origins.length);
  expect(readdirSync(folder)).toEqual(['tokens.json']);
});

test('4 processes set 5 profiles each: all 20 are there', async () => {
  const folder = scratch();
  const names = ['a', 'b', 'c', 'd'];
  expect(await together(...names.map((name) => [folder, 'profile', name, '5']))).toEqual(
    names.map(() => 'done'),
  );
  expect(readSettingsFile(folder, storeWorld()).profiles.size).toBe(20);
  expect(readdirSync(folder)).toEqual(['config.json']);
});
