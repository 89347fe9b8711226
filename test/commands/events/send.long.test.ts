// `arx events send --file` killed and run again: every event is in the archive once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Listening } from '../../../src/contract/reports/command.ts';
import { recordsOf } from '../../support/command.ts';
import { buildProgram, type Program } from '../../support/program.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('send')));

/** Returns the IDs of all stored events, in the order of arrival. */
function storedIds(path: string): string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT id FROM events ORDER BY n').all() as { id: string }[];
  database.close();
  return rows.map(({ id }) => id);
}

describe('killed', () => {
  let program: Program;
  beforeEach(() => {
    program = buildProgram();
  });

  test('at any moment and run again, also by two at once: every event is in, and is applied once', async () => {
    const served = program.start(
      ['serve', '--port', '0', '--json', '--database', `sqlite:${join(dir, 'there')}`],
      { dir },
    );
    try {
      const { base_url } = JSON.parse(await served.says('stdout', /\n/)) as Listening;
      const login = 'login --client-id a --observer-tier internal --requested-tier internal --base-url'.split(
        ' ',
      );
      expect(await program.run([...login, base_url], { dir })).toMatchObject({ exit: 0 });
      const ids = Array.from({ length: 6_000 }, (_, n) => `e${n}`);
      const events = ids.map((id) => ({ id, type: 'contact.flagged', payload: { contact: id } }));
      const lines = events.map((event) => `${JSON.stringify(event)}\n`);
      writeFileSync(join(dir, 'in.ndjson'), lines.join(''));
      const words = ['events', 'send', '--file', 'in.ndjson', '-o', 'ndjson', '--base-url', base_url];
      for (let kill = 0; kill < 4; kill += 1) {
        const running = program.start(words, { dir });
        // Somewhere behind the first answers of this run.
        await running.says('stdout', /\n/);
        await sleep(kill * 7);
        running.child.kill('SIGKILL');
        await running.ended;
      }
      const last = await Promise.all([program.run(words, { dir }), program.run(words, { dir })]);
      expect(last.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual([
        { exit: 0, stderr: '' },
        { exit: 0, stderr: '' },
      ]);
      const stored = storedIds(join(dir, 'there/archive.db'));
      expect(new Set(stored)).toEqual(new Set(ids));
      expect(stored).toHaveLength(ids.length);
      const check = await program.run(['events', 'reconcile', '--json', '--base-url', base_url], { dir });
      expect(JSON.parse(check.stdout)).toMatchObject({
        verdict: 'consistent',
        sent: 6_000,
        indexed: 6_000,
        others: 0,
      });
      const idle = await program.run(words, { dir });
      expect(recordsOf({ ...idle, bytes: Buffer.alloc(0), exit: 0 })).toEqual([]);
    } finally {
      served.child.kill('SIGKILL');
      await served.ended;
    }
  });
});
