// The access log: its lines, its levels, and a sink that fails or is slow.
import { describe, expect, test } from 'vitest';
import { createAccessLog, type LogEntry } from '../../../src/service/http/access-log.ts';
import { NOON } from '../../support/fake-world.ts';
import { COMPLETED_REQUEST } from '../../support/completed-request.ts';

function logTo(write: (text: string) => Promise<void>, level: 'error' | 'warn' | 'info' = 'info') {
  return createAccessLog({
    level,
    now: () => NOON,
    monotonic: () => 0,
    format: (entry) => `${JSON.stringify(entry)}\n`,
    write,
  });
}

describe('the access log', () => {
  test('has one line for a response, with these fields', async () => {
    const lines: string[] = [];
    const log = logTo(async (text) => void lines.push(text));
    log.observePort('api').requestCompleted(COMPLETED_REQUEST);
    await log.close();
    expect(JSON.parse(lines.join(''))).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      level: 'info',
      event: 'answered',
      port: 'api',
      request_id: 'req_1',
      method: 'GET',
      route: 'attachments',
      status: 200,
      ms: 3.12,
      bytes: 10,
      address: '127.0.0.1',
      tier: 'internal',
    });
  });

  test.each([
    ['error', [500]],
    ['warn', [404, 500, 0]],
    ['info', [200, 206, 404, 500, 0]],
  ] as const)('%s', async (level, statuses) => {
    const entries: LogEntry[] = [];
    const log = createAccessLog({
      level,
      now: () => NOON,
      monotonic: () => 0,
      format: (entry) => (entries.push(entry), ''),
      write: async () => {},
    });
    for (const status of [200, 206, 404, 500, 0])
      log.observePort('api').requestCompleted({ ...COMPLETED_REQUEST, status });
    await log.close();
    expect(entries.map(({ status }) => status)).toEqual(statuses);
  });

  test('counts the lines that a failing sink loses, and reports them when it works again', async () => {
    let isFull = true;
    const lines: string[] = [];
    const log = logTo(async (text) => {
      if (isFull) throw new Error('ENOSPC');
      lines.push(...text.split('\n').filter(Boolean));
    });
    for (let n = 0; n < 3; n += 1) {
      log.note('info', `lost ${n}`);
      await log.close();
    }
    expect(log.lost()).toBe(3);
    isFull = false;
    log.note('info', 'kept');
    await log.close();
    expect(lines.map((line) => JSON.parse(line) as LogEntry)).toMatchObject([
      { event: 'kept' },
      { event: 'log lines lost', count: 3, level: 'warn' },
    ]);
  });

  test('keeps at most a megabyte for a sink that hangs', async () => {
    const taken: string[] = [];
    const log = logTo((text) => {
      taken.push(text);
      return new Promise(() => {});
    });
    const entry = 'x'.repeat(1000);
    for (let n = 0; n < 2000; n += 1) log.note('info', entry);
    expect(taken).toHaveLength(1);
    expect(log.lost()).toBeGreaterThan(900);
    expect(log.lost()).toBeLessThan(1100);
  });
});
