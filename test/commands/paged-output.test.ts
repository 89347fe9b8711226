// Which pager shows long texts, and when none does.
import { expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import type { World } from '../../src/world.ts';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a message on a terminal; returns the pagers that were started with what they got. */
async function paged(
  env: Record<string, string>,
  { closesAt = Infinity, columns = 80, line = 'read msg_1' } = {},
) {
  const dir = tempFolder('paged');
  writeFileSync(join(dir, 'a.eml'), 'From: a@x\nSubject: s\n\nhello\n');
  expect((await arx(dir, 'import a.eml')).exit).toBe(0);
  const started: string[] = [];
  let text = '';
  const startPager: World['startPager'] = async (program, args, given) => {
    started.push([program, ...args, JSON.stringify(given)].join(' '));
    if (program === 'missing') throw new Error('ENOENT');
    return {
      isTTY: true,
      columns,
      isClosed: () => text.length >= closesAt,
      write: async (chunk) => {
        text += String(chunk);
        if (text.length >= closesAt) throw new Fault('interrupted', 'closed', { signal: 'SIGPIPE' });
      },
      end: async () => {},
    };
  };
  const terminal = columns === 0 ? {} : { columns };
  const ran = await arx(dir, line, { env: { LANG: 'C.UTF-8', ...env }, ...terminal, startPager });
  return { started, text, ...ran };
}

const ENV = '{"LESS":"FRX","LV":"-c"}';

test.each<[name: string, env: Record<string, string>, started: string[]]>([
  ['less is the default', {}, [`less ${ENV}`]],
  ['PAGER', { PAGER: 'more -d' }, [`more -d ${ENV}`]],
  ['ARX_PAGER before PAGER', { PAGER: 'more', ARX_PAGER: '"my pager" -x' }, [`my pager -x ${ENV}`]],
  ['an empty ARX_PAGER', { PAGER: 'more', ARX_PAGER: '' }, []],
  ['an empty PAGER', { PAGER: '' }, []],
  ['cat', { PAGER: 'cat' }, []],
  ['a dumb terminal', { TERM: 'dumb' }, []],
])('%s', async (_, env, started) => {
  const ran = await paged(env);
  expect(ran.started).toEqual(started);
  expect(started.length > 0 ? ran.text : ran.stdout).toContain('hello');
  expect(ran.exit).toBe(0);
});

test('no pager in a pipe, for JSON or with --no-input', async () => {
  expect(await paged({}, { columns: 0 })).toMatchObject({ started: [], exit: 0 });
  expect(await paged({}, { line: 'read msg_1 --json' })).toMatchObject({ started: [], exit: 0 });
  expect(await paged({}, { line: 'read msg_1 --no-input' })).toMatchObject({ started: [], exit: 0 });
});

test('a closed pager is exit 0', async () => {
  expect(await paged({}, { closesAt: 1 })).toMatchObject({ exit: 0, stderr: '' });
});

test('a pager that is not there is said, and the text is shown', async () => {
  const ran = await paged({ PAGER: 'missing' });
  expect(ran).toMatchObject({ exit: 0, stderr: 'arx: the pager missing cannot be started\n' });
  expect(ran.stdout).toContain('hello');
});
