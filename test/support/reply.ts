// Expectations that every error reply of the service meets (interface 7).
import { expect } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../src/contract/error.ts';
import { ROUTES, pathOf, type RouteName } from '../../src/contract/routes.ts';
import type { Answer } from './call.ts';
import { atFileEnd } from './file-end.ts';

const requestIds = new Set<string>();
atFileEnd(() => requestIds.clear());

/** The error body of interface 7, with the status that belongs to its code (R5, R6). */
export function expectApiError(answer: Answer, code: ErrorCode): void {
  expect(answer.json?.error?.code, answer.text).toBe(code);
  expect(answer.status).toBe(ERROR_STATUS[code]);
  const { error } = answer.json;
  expect(Object.keys(answer.json)).toEqual(['error']);
  expect(Object.keys(error).sort()).toEqual(['code', 'integrity', 'message', 'request_id']);
  expect(error.request_id).toMatch(/^req_[0-9a-f]{24}$/);
  expect(requestIds.has(error.request_id)).toBe(false);
  requestIds.add(error.request_id);
  expect(error.integrity).toBeGreaterThanOrEqual(0);
  expect(error.integrity).toBeLessThanOrEqual(1);
  expect(error.message).not.toMatch(/select|insert|sqlite|\/tmp|arx_|at .*\.ts|unexpected token/i);
  expect(answer.headers['x-request-id']).toBe(error.request_id);
  expectHeaders(answer);
}

/** The headers of every reply, whatever its status. */
export function expectHeaders({ headers, text }: Answer): void {
  expect(headers['x-request-id']).toMatch(/^req_/);
  expect(Number(headers['x-integrity'])).toBeGreaterThan(0.9);
  expect(headers['x-drift-ratio']).toBe('0');
  expect(headers['date']).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
  if (text !== '') {
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
  }
}

/** A path of every route that a sample archive answers. */
export const PATHS: Record<RouteName, string> = Object.fromEntries(
  Object.keys(ROUTES).map((name) => [
    name,
    pathOf(name as RouteName, {
      id: { attachment: 'att_1', content: 'msg_1', conversation: 'conv_1' }[name] ?? '',
      name: 'arc_reconstruction',
    }) + (name === 'search' ? '?q=letter' : ''),
  ]),
) as Record<RouteName, string>;
