// What a command says where the database cannot serve.
import { expect, test } from 'vitest';
import { Fault } from '../../../../src/faults.ts';
import {
  accessErrorOf,
  accessFault,
  type DatabaseAccessError,
} from '../../../../src/service/store/sql/database-error.ts';

test('a full disk is said in words, with what is kept and what to do', () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  const fault = accessFault(accessErrorOf(full) as DatabaseAccessError);
  expect([fault instanceof Fault, fault.kind, fault.message, fault.detail.hint]).toEqual([
    true,
    'disk',
    'the database has no space left',
    'what was stored before is kept: make room, and run the same command again',
  ]);
});
