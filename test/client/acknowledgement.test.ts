// An event that the service says it has already is accepted, whatever its id looks like.
import { expect, test } from 'vitest';
import { duplicateOf } from '../../src/client/acknowledgement.ts';
import { Fault } from '../../src/faults.ts';

test.each(['evt_1', 'evt_other_1', 'different_1'])('%s', (id) => {
  const event = { id, type: 'mirror.detected', payload: {} };
  const said = (words: string): Fault => new Fault('conflict', `the service did not accept ${id}: ${words}`);
  expect(duplicateOf(event, said('status duplicate')).body).toMatchObject({
    event_id: id,
    status: 'duplicate',
  });
  for (const words of ['status dropped', 'duplicate id of another event'])
    expect(() => duplicateOf(event, said(words))).toThrow(words);
});
