// Reading ahead: up to a limit, in order, with the errors of the list.
import { expect, test } from 'vitest';
import { readAhead } from '../../src/concurrency/read-ahead.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('items are read before they are asked for, up to the limit', async () => {
  let read = 0;
  const items = async function* (): AsyncGenerator<number> {
    for (;;) yield read++;
  };
  const ahead = readAhead(items(), 3);
  expect((await ahead.next()).value).toBe(0);
  await tick();
  expect(read).toBeGreaterThanOrEqual(3);
  expect(read).toBeLessThanOrEqual(5);
  expect((await ahead.next()).value).toBe(1);
  await ahead.return(undefined);
  const atEnd = read;
  await tick();
  expect(read).toBe(atEnd);
});

test('an error comes after the items before it', async () => {
  const items = async function* (): AsyncGenerator<number> {
    yield 1;
    yield 2;
    throw new Error('gone');
  };
  const got: number[] = [];
  const read = async (): Promise<void> => {
    for await (const item of readAhead(items(), 10)) got.push(item);
  };
  await expect(read()).rejects.toThrow('gone');
  expect(got).toEqual([1, 2]);
});

test('it ends where the consumer ends while the item that fills the limit is read', async () => {
  let give = (): void => {};
  const items = async function* (): AsyncGenerator<number> {
    yield 1;
    yield 2;
    await new Promise<void>((resolve) => (give = resolve));
    yield 3;
    yield 4;
  };
  const ahead = readAhead(items(), 2);
  expect((await ahead.next()).value).toBe(1);
  await tick();
  const ended = ahead.return(undefined).then(() => 'ended');
  give();
  expect(await Promise.race([ended, tick().then(tick)])).toBe('ended');
});
