// The screen of real pseudo-terminals: what a person sees, also after the terminal was resized.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { buildProgram, outside, type Program } from '../support/program.ts';
import { sampleData } from '../support/sample.ts';
import { atTerminal } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';

let arx: Program;
let home: string;
beforeAll(async () => {
  arx = buildProgram();
  home = tempFolder('terminal');
  await sampleData(join(home, 'data'));
});

const isThere = { tmux: isInstalled('tmux'), script: isInstalled('script') };

/** A tmux server of its own with one window. */
function tmux(line: string, columns: number) {
  const socket = join(tempFolder('tmux'), 's');
  const call = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: outside(home),
    });
  call(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    '20',
    `echo start; ${line}; echo ended; exec sleep 60`,
  );
  return {
    call,
    /** Looks at the screen until it fits, at most 600 times. */
    async shows(pattern: RegExp): Promise<string> {
      let screen = '';
      for (let look = 0; look < 600; look += 1) {
        screen = call('capture-pane', '-p', '-S', '-', '-t', '0');
        if (pattern.test(screen)) return screen;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`never on the screen: ${pattern}\n${screen}`);
    },
    end: () => call('kill-server'),
  };
}

describe.runIf(isThere.tmux)('tmux', () => {
  let server: Misbehaving | undefined;
  afterEach(() => server?.close());

  test('the wait for the first answer is drawn again after a resize, without fragments', async () => {
    // The answer never comes.
    server = await misbehave(() => {});
    const line = `${process.execPath} ${arx.launcher} health --base-url ${server.url} --timeout 60`;
    const screen = tmux(line, 100);
    try {
      const host = new URL(server.url).host;
      await screen.shows(new RegExp(`^waiting for the first answer from ${host}, \\d`, 'm'));
      screen.call('resize-window', '-x', '30', '-y', '20');
      const narrow = await screen.shows(/^waiting, \d+\.\d s$/m);
      expect(narrow.match(/waiting|answer|127/g)).toEqual(['waiting']);
      screen.call('resize-window', '-x', '100', '-y', '20');
      const wide = await screen.shows(new RegExp(`from ${host}, \\d`));
      expect(wide.match(/waiting/g)).toHaveLength(1);
      screen.call('send-keys', 'C-c');
      const ended = await screen.shows(/^ended$/m);
      expect(ended).toMatch(/^arx: interrupted; run the same command again \[signal, exit 130\]$/m);
      expect(ended).not.toContain('waiting');
    } finally {
      screen.end();
    }
  });

  test.each([40, 80, 200])('a table at %i columns has no line that is broken', async (columns) => {
    const line = `${process.execPath} ${arx.launcher} attachments ls --limit 5 --no-pager`;
    const screen = tmux(line, columns);
    try {
      const shown = (await screen.shows(/^ended$/m)).trimEnd().split('\n');
      const header = shown[1] ?? '';
      expect(header).toMatch(
        columns === 200 ? /^ID +STATE .* SHA256 +MESSAGE$/ : /^ID +STATE .*…$|^ID +att_1$/,
      );
      // One line for each row: `start`, the heading, its rule, the five rows, the summary, two commands, and `ended`.
      if (columns > 40) expect(shown).toHaveLength(12);
      for (const id of ['att_1', 'att_2']) expect(shown.join('\n')).toMatch(new RegExp(`\\b${id}\\b`));
    } finally {
      screen.end();
    }
  });
});

/** A pager that does what the test is about, as a script. */
function pager(name: string, script: string): string {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

describe.runIf(isThere.script)('a pager in a pseudo-terminal', () => {
  const shown = (env: Record<string, string>, line = 'attachments ls --limit 50') =>
    atTerminal(`stty rows 10 cols 80; ${process.execPath} ${arx.launcher} ${line}; echo exit $?`, {
      dir: home,
      env,
    }).ended;

  test('what is longer than the screen goes through it', async () => {
    const { stdout } = await shown({ PAGER: pager('mark', `sed 's/^/> /'`) });
    expect(stdout).toContain('> \u001b[36matt_1');
    expect(stdout).toContain('exit 0');
  });

  test.each([
    ['one that ends at once', 'exit 3'],
    ['one that ends after a line', 'head -n 1'],
    ['one that reads nothing and ends', 'exec true'],
  ])('%s: no hang, exit 0', async (_, script) => {
    const { stdout } = await shown({ PAGER: pager('quits', script) }, 'attachments ls --all');
    expect(stdout).toContain('exit 0');
  });

  test('a missing one is said, and the text is shown', async () => {
    const { stdout } = await shown({ ARX_PAGER: join(home, 'missing') });
    expect(stdout).toMatch(/arx: the pager \S+missing cannot be started/);
    expect(stdout).toContain('att_1');
    expect(stdout).toContain('exit 0');
  });

  test('a failure is still a failure when its pager was closed', async () => {
    const env = { PAGER: pager('quits', 'exit 0') };
    expect((await shown(env, 'doctor --base-url http://127.0.0.1:9')).stdout).toMatch(/exit [1-9]/);
  });
});
