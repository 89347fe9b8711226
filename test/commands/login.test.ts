// The questions of `arx login` on a terminal, and what is sent after them.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/arx.ts';
import { Fault } from '../../src/faults.ts';
import { arx, type Ran } from '../support/command.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { always, answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';
import { emptyData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TOKEN = {
  token_type: 'bearer',
  access_token: 'arx_Zq8vXw3LmT5rKp7sNd9hGb2cYf4j',
  expires_at: '2026-01-03T00:00:00.000Z',
  scope: ['read:messages'],
  access_tier: 'inner',
  issued_by: 'other',
  timeline_offset_ms: 0,
  session_drift_ms: 0,
  source_integrity: 1,
};
const ENV = { LANG: 'C.UTF-8', USER: 'ada' };

type Stored = { tokens: { client_id: string; observer_tier: string; requested_tier: string }[] };

let dir: string;
let close: (() => Promise<unknown>) | undefined;
beforeEach(async () => {
  dir = tempFolder('login');
  await emptyData(join(dir, 'data'));
});
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** What was asked of the service, from the token that is stored. */
function stored(): string[] {
  const { tokens } = JSON.parse(readFileSync(join(dir, 'config/tokens.json'), 'utf8')) as Stored;
  return tokens.map((one) => [one.client_id, one.observer_tier, one.requested_tier].join(' '));
}

const typing = (line: string, ...typed: string[]): Promise<Ran> =>
  arx(dir, line, { columns: 80, typed, env: ENV });

const serveTokens = (): Promise<Misbehaving> => misbehave(always(answer(200, JSON.stringify(TOKEN))));

async function other(): Promise<Misbehaving> {
  const service = await serveTokens();
  close = service.close;
  return service;
}

async function ours(): Promise<Served> {
  const served = await serve(dir);
  close = served.close;
  return served;
}

describe('a service that gives tokens as RFC 6749 says', () => {
  const login = 'login --client-id ada --observer-tier inner';
  const { access_token } = TOKEN;
  const BARE = { access_token, token_type: 'bearer' };
  const loginTo = async (token: object): Promise<Ran & { base: string }> => {
    const service = await misbehave(always(answer(200, JSON.stringify(token))));
    close = service.close;
    const base = `--base-url ${service.url}`;
    return { ...(await arx(dir, `${login} ${base}`, { env: ENV })), base };
  };

  test('a token alone is stored; what is not known of it is said once, and shown as unknown', async () => {
    const { exit, stdout, stderr, base } = await loginTo(BARE);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('tier\tunknown')]);
    expect(stderr).toContain('the service does not say the tier of the token, nor when it ends\n');
    const shown = await arx(dir, `whoami ${base}`, { env: ENV });
    expect([shown.exit, shown.stdout]).toEqual([0, expect.stringMatching(/^tier\tunknown$/m)]);
    expect(shown.stdout).toMatch(/^expired\tfalse$/m);
    const json = JSON.parse((await arx(dir, `whoami ${base} --json`, { env: ENV })).stdout) as object;
    expect(json).toMatchObject({ client_id: 'ada', observer_tier: 'inner', expired: false });
    for (const name of ['access_tier', 'expires_at', 'effective_expires_at', 'scope', 'issued_by'])
      expect(json).not.toHaveProperty(name);
  });

  test.each([
    'access_tier',
    'issued_by',
    'timeline_offset_ms',
    'session_drift_ms',
    'source_integrity',
    'scope',
  ])('an answer without %s is a token', async (name) => {
    const { exit, base } = await loginTo({ ...TOKEN, [name]: undefined });
    expect(exit).toBe(0);
    const shown = await arx(dir, `whoami ${base} --json`, { env: ENV });
    expect([shown.exit, shown.stdout]).toEqual([0, expect.not.stringContaining(`"${name}"`)]);
    expect(shown.stdout).toContain('"expires_at"');
  });
});

describe('the local archive', () => {
  test.each(['local', 'service'])(
    'a token file is refused, since the token is not stored: %s',
    async (archive) => {
      const base = archive === 'local' ? '' : ` --base-url ${(await other()).url}`;
      const ran = await arx(dir, `login${base} --client-id ada --observer-tier internal --token-file nope`);
      expect(ran).toMatchObject({ exit: 2, stdout: '' });
      expect(ran.stderr).toBe(
        'arx: arx login gets a token of its own, and takes none from --token-file [usage, exit 2]\n' +
          '  hint: leave it out; or without a login: --token-file FILE with each other command\n',
      );
      expect(existsSync(join(dir, 'config/tokens.json'))).toBe(false);
    },
  );

  test('two empty lines take the name of the user and the tier internal', async () => {
    const ran = await typing('login', '', '');
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toBe(
      `log in to the local archive in ${dir}/data, profile default\n` +
        `tokens are stored in ${dir}/config/tokens.json\n` +
        'tier you look from (? explains them):\n  1  external\n  2  internal\n  3  mirror\n',
    );
    expect(stored()).toEqual(['ada internal internal']);
  });

  test('the name and tier of the last login are proposed', async () => {
    await typing('login', 'bob', '1');
    expect(stored()).toEqual(['bob external external']);
    await typing('login --profile default', '', '');
    expect(stored()).toEqual(['bob external external']);
  });

  test.each([
    [['me', '3'], 'me mirror mirror'],
    [['me', 'External'], 'me external external'],
    [['me', 'intrnal', ''], 'me internal internal'],
    [['me', 'mir', 'y'], 'me mirror mirror'],
    [['me', 'intrnal', 'n', '1'], 'me external external'],
    [['me', '9', 'nothing', '2'], 'me internal internal'],
    [['me', 'extrenal', 'internal', 'maybe', 'Yes'], 'me external external'],
    [['me', 'extrenal', 'internal', 'NO', 'internal'], 'me internal internal'],
    [['y', 'NO', 'me', 'y', 'no', '1'], 'me external external'],
    [['?', 'yes', '?', 'no', 'me', '2'], 'me internal internal'],
  ])('%j is sent as %s', async (typed, sent) => {
    expect((await typing('login', ...typed)).exit).toBe(0);
    expect(stored()).toEqual([sent]);
  });

  test.each([
    ['an end of the input at the name', []],
    ['an end of the input at the tier', ['me']],
    ['an end of the input at the correction', ['me', 'intrnal']],
    ['three wrong answers', ['me', '9', '0', 'nothing']],
    ['three wrong answers to the correction', ['me', 'intrnal', '1', '2', 'internal']],
    ['three names that cannot be one', ['a\u0001', 'b\u0001', 'c\u0001']],
  ])('%s: exit 2, and nothing is stored', async (_, typed) => {
    const ran = await typing('login', ...typed);
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain('kept: nothing was sent');
    expect(existsSync(join(dir, 'config/tokens.json'))).toBe(false);
  });

  test('without a name of the user an empty line is asked again', async () => {
    const ran = await arx(dir, 'login', {
      columns: 80,
      typed: ['', ' ', 'x', '2'],
      env: { LANG: 'C.UTF-8' },
    });
    expect(ran.exit).toBe(0);
    expect(ran.stderr.match(/a name is needed/g)).toHaveLength(2);
    expect(stored()).toEqual(['x internal internal']);
  });

  test('an option answers all questions; its typing error is corrected first', async () => {
    expect((await typing('login --observer-tier external')).exit).toBe(0);
    expect(stored()).toEqual(['arx external external']);
    expect((await typing('login --observer-tier mirrr', '')).exit).toBe(0);
    expect(stored()).toEqual(['arx mirror mirror']);
    const refused = await typing('login --observer-tier mirrr', 'n');
    expect(refused).toMatchObject({ exit: 2, stdout: '' });
    expect(refused.stderr).toContain('--observer-tier: the local archive has the tiers external, internal');
  });

  test('off a terminal nothing is asked, and the place of the token is said', async () => {
    const ran = await arx(dir, 'login', { env: ENV });
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toBe(`arx: tokens are stored in ${dir}/config/tokens.json\n`);
    expect(stored()).toEqual(['arx internal internal']);
  });

  test('off a terminal a login that fails says nothing of a place', async () => {
    const ran = await arx(dir, 'login --observer-tier external --requested-tier mirror', { env: ENV });
    expect(ran.exit).toBe(5);
    expect(ran.stderr).toMatch(/^arx: observer tier external does not allow the mirror scope/);
    expect(ran.stderr).toContain('hint: arx login --observer-tier mirror --requested-tier mirror\n');
  });

  test('a damaged token store is asked over, and repaired', async () => {
    mkdirSync(join(dir, 'config'), { mode: 0o700 });
    writeFileSync(join(dir, 'config/tokens.json'), '{', { mode: 0o600 });
    expect((await typing('login', '', '')).exit).toBe(0);
    expect(stored()).toEqual(['ada internal internal']);
  });
});

test('arx serve: its address is said first', async () => {
  await sampleData(join(dir, 'data'));
  const { base_url: url } = await ours();
  const ran = await typing(`login --base-url ${url}`, '', '1', 'n');
  expect(ran.exit).toBe(0);
  expect(ran.stderr.split('\n')[0]).toBe(`log in to ${url}, profile default`);
  expect(stored()).toEqual(['ada external external']);
  const refused = await arx(dir, `login --base-url ${url} --client-id ada --observer-tier mirror`);
  expect(refused.exit).toBe(5);
  const again = `arx login --base-url ${url} --client-id ada --observer-tier internal`;
  expect(refused.stderr).toContain(`hint: ${again}\n`);
  const used = await arx(dir, `login --use --base-url ${url} --client-id ada --observer-tier mirror`);
  expect(used.stderr).toContain(`hint: ${again} --use\n`);
});

test('a tier that is refused is asked for again, with the other answers kept', async () => {
  await sampleData(join(dir, 'data'));
  const { base_url: url } = await ours();
  const ran = await typing(`login --base-url ${url}`, 'ada', 'mirror', 'external');
  expect(ran.exit).toBe(0);
  expect(ran.stderr.match(/^tier you look from/gm)).toHaveLength(2);
  expect(stored()).toEqual(['ada external external']);
  const ended = await typing(`login --base-url ${url}`, 'eve', 'mirror');
  expect(ended.exit).toBe(5);
  expect(ended.stderr).toContain(
    `kept: the answers, for another try:\n    arx login --base-url ${url} --client-id eve --observer-tier mirror\n`,
  );
});

test('a tier that a service does not have is asked for again', async () => {
  await sampleData(join(dir, 'data'));
  const { base_url: url } = await ours();
  const ran = await typing(`login --base-url ${url}`, 'ada', 'outside', 'y', 'external');
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toContain('observer_tier: must be one of external, internal, mirror\n');
  expect(stored()).toEqual(['ada external external']);
  // A name that is refused is not mended by another tier.
  const requests = await misbehave(
    always(answer(400, '{"error":{"code":"request_invalid","message":"client_id: unknown"}}')),
  );
  const refused = await typing(`login --base-url ${requests.url}`, 'ada', 'external', 'internal');
  await requests.close();
  expect(refused.exit).toBe(2);
  expect(requests.requests).toHaveLength(1);
});

test('? explains the question, which is asked again', async () => {
  const ran = await typing('login', '?', 'ada', '?', '1');
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toContain('such as your user name');
  expect(ran.stderr).toContain('rows above your tier are shown as withheld\n');
  expect(stored()).toEqual(['ada external external']);
});

test('the tiers that were asked for are shown beside the one that was given', async () => {
  const { url } = await other();
  const ran = await arx(dir, `login --base-url ${url} --client-id me --observer-tier a --requested-tier b`);
  expect(ran.stdout).toContain('\ntier\tinner\nrequested_tier\tb\nobserver_tier\ta\n');
  expect((await arx(dir, `whoami --base-url ${url}`)).stdout).toBe(ran.stdout);
});

test('a profile that does not exist: the hint makes it, with the base URL that was given', async () => {
  const { url } = await other();
  const line = `login --base-url ${url} --client-id me --observer-tier external --profile x2`;
  const ran = await arx(dir, line);
  const hint = `arx config set --profile x2 base_url ${url}`;
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toContain(`  hint: ${hint} makes it; arx profile ls`);
  expect((await arx(dir, hint.replace('arx ', ''))).exit).toBe(0);
  expect((await arx(dir, line)).exit).toBe(0);
  expect((await arx(dir, 'whoami --profile x2')).exit).toBe(0);
});

test('after another failure the answers are shown as a command', async () => {
  const ran = await typing('login --base-url http://127.0.0.1:1 --retries 0', 'ada', 'external');
  expect(ran.exit).toBe(10);
  expect(ran.stderr).toContain(
    'kept: the answers, for another try:\n    arx login --base-url http://127.0.0.1:1 --client-id ada --observer-tier external\n',
  );
});

describe('another service', () => {
  test.each([
    [['me', 'inner', 'y'], 'me inner inner'],
    [['me', 'inner', 'external', 'y'], 'me inner inner'],
    [['me', 'inner', '', 'external'], 'me external external'],
    [['me', 'intrnal', 'n', 'y'], 'me intrnal intrnal'],
    [['me', '4', 'inner', 'yes'], 'me inner inner'],
    [['me', 'y', 'external', 'n', '2'], 'me internal internal'],
  ])('%j is sent as %s', async (typed, sent) => {
    const { url, requests } = await other();
    expect((await typing(`login --base-url ${url}`, ...typed)).exit).toBe(0);
    expect(stored()).toEqual([sent]);
    expect(requests).toHaveLength(1);
  });

  test('nothing is sent where an answer is missing', async () => {
    const { url, requests } = await other();
    expect((await typing(`login --base-url ${url}`, 'me')).exit).toBe(2);
    expect((await typing(`login --base-url ${url} --observer-tier intrnal`)).exit).toBe(2);
    expect(requests).toHaveLength(0);
  });

  test('off a terminal the requested tier is that of the observer', async () => {
    const { url } = await other();
    const ran = await arx(dir, `login --base-url ${url} --client-id me --observer-tier external`, {
      env: ENV,
    });
    expect(ran.exit).toBe(0);
    expect(stored()).toEqual(['me external external']);
    const missing = await arx(dir, `login --base-url ${url}`, { env: ENV });
    expect(missing.exit).toBe(2);
    expect(missing.stderr).toContain('--client-id, --observer-tier missing');
  });

  test('--local uses the local archive in spite of a base URL', async () => {
    const { url } = await other();
    expect((await arx(dir, `config set base_url ${url}`)).exit).toBe(0);
    expect((await arx(dir, 'login --local')).exit).toBe(0);
    expect(stored()).toEqual(['arx internal internal']);
    expect((await arx(dir, 'import --dry-run x')).stderr).toContain('hint: arx import --dry-run x --local');
  });

  test('--requested-tier may be another tier; what is given is not asked', async () => {
    const { url } = await other();
    const options = '--client-id me --observer-tier internal --requested-tier external';
    expect((await typing(`login --base-url ${url} ${options}`)).exit).toBe(0);
    expect(stored()).toEqual(['me internal external']);
  });
});

test.each([
  ['ARX_TOKEN', 'messages ls', { ARX_TOKEN: 'nonsense' }, 'ARX_TOKEN is not valid here'],
  ['--token-file', 'messages ls --token-file TOK', {}, 'the token of --token-file is not valid here'],
])('a refused token of %s: the hint says which one it is, and how to log in', async (_, line, env, words) => {
  const dir = tempFolder('refused');
  await sampleData(join(dir, 'data'));
  writeFileSync(join(dir, 'tok'), 'nonsense\n');
  const served = await serve(dir);
  try {
    expect((await arx(dir, `config set --profile far base_url ${served.base_url}`)).exit).toBe(0);
    const { exit, stderr } = await arx(dir, `${line.replace('TOK', join(dir, 'tok'))} --profile far`, {
      env,
    });
    expect(exit).toBe(4);
    expect(stderr).toContain(`hint: ${words}`);
    expect(stderr).toContain('arx login --profile far');
    expect(stderr).not.toContain('nonsense');
  } finally {
    await served.close();
  }
});

describe('a typing error in a tier where nobody is asked', () => {
  test.each([
    ['', '--observer-tier extrenal', '--observer-tier external'],
    [' --client-id me', '--observer-tier extrenal', '--client-id me --observer-tier external'],
    [
      '',
      '--observer-tier internal --requested-tier mirrr',
      '--observer-tier internal --requested-tier mirror',
    ],
  ])('login%s %s: the hint is the command that was meant', async (client, tiers, meant) => {
    await sampleData(join(dir, 'data'));
    const { base_url: url } = await ours();
    for (const line of ['login', `login --base-url ${url}`]) {
      const env = client === '' ? { ARX_CLIENT_ID: 'me' } : {};
      const ran = await arx(dir, `${line}${client} ${tiers}`, { env });
      expect(ran.exit).toBe(2);
      expect(ran.stderr).toContain(`hint: did you mean: arx ${line} ${meant}\n`);
    }
  });

  test('nothing is proposed for a tier that is like none', async () => {
    await sampleData(join(dir, 'data'));
    expect((await arx(dir, 'login --observer-tier sesame')).stderr).not.toContain('did you mean');
  });
});

describe('the archive in use after a login by --base-url', () => {
  const baseUrl = async (options = ''): Promise<string> =>
    (await arx(dir, `config get base_url${options}`)).stdout.trim();

  test('a dialogue ends with the question whether every command reads it', async () => {
    const { url } = await other();
    for (const answers of [['n'], ['maybe', 'n'], [], ['1', '2', '3']]) {
      const ran = await typing(`login --base-url ${url}`, 'me', '1', ...answers);
      expect(ran.exit).toBe(0);
      expect(ran.stderr).toMatch(new RegExp(`for all that follow:\n  arx config set base_url ${url}\n$`));
      expect(await baseUrl()).toBe('');
    }
    const ran = await typing(`login --base-url ${url}`, 'me', '1', '');
    expect(ran.stderr).toMatch(
      new RegExp(`arx: commands now read ${url}, profile default; with --local,\n  the local archive\n$`),
    );
    expect(await baseUrl()).toBe(url);
    // What is in use already is not asked again.
    const again = await typing(`login --base-url ${url}`, 'me', '1');
    expect(again.stderr).not.toMatch(/for all that follow|commands now read/);
  });

  test('--use makes it so without a question, for the profile', async () => {
    const { url } = await other();
    const options = `--base-url ${url} --client-id me --observer-tier external`;
    expect((await typing(`login ${options}`)).stderr).toContain(`arx config set base_url ${url}\n`);
    expect((await arx(dir, `login ${options} --use`)).exit).toBe(0);
    expect(await baseUrl()).toBe(url);
    expect((await arx(dir, 'config set --profile work base_url http://127.0.0.1:9')).exit).toBe(0);
    expect((await arx(dir, 'profile use work')).exit).toBe(0);
    expect((await arx(dir, `login ${options} --use`)).exit).toBe(0);
    expect([await baseUrl(), await baseUrl(' --profile default')]).toEqual([url, url]);
    expect((await arx(dir, 'whoami')).exit).toBe(0);
  });

  test('--use without a service is a usage error', async () => {
    const ran = await arx(dir, 'login --use');
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('--use goes with --base-url URL') });
  });
});

describe('--quiet', () => {
  test('login, logout and changes of settings print nothing, unless a form is asked for', async () => {
    for (const line of [
      'login',
      'config set client_id me',
      'config unset client_id',
      'config set --profile work client_id me',
      'profile use work',
      'profile rm work --yes',
      'logout',
    ])
      expect(await arx(dir, `${line} -q`)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await arx(dir, 'login -q --json')).stdout)).toMatchObject({ access_tier: 'internal' });
    expect((await arx(dir, 'login -q --fields access_tier')).stdout).toContain('\tinternal\n');
    expect((await arx(dir, 'whoami -q')).stdout).toContain('tier\tinternal\n');
  });
});

describe('where there is no archive after a login by --base-url', () => {
  beforeEach(() => void (dir = tempFolder('login')));

  const login = (url: string, more = ''): Promise<Ran> =>
    arx(dir, `login --base-url ${url} --client-id me --observer-tier external${more}`, { env: ENV });

  test('the hint makes that service the archive in use', async () => {
    const { url } = await other();
    expect((await login(url)).exit).toBe(0);
    const use = `arx config set base_url ${url} (you are logged in there), or arx import FILE`;
    for (const line of ['whoami', 'token', 'attachments ls'])
      expect(await arx(dir, line)).toMatchObject({
        exit: 6,
        stderr: expect.stringContaining(`hint: ${use}\n`),
      });
    expect((await arx(dir, '')).stdout).toMatch(`No archive yet: ${use}\n`);
    expect((await arx(dir, 'whoami --local')).stderr).toContain(
      'hint: arx import FILE, arx login --base-url',
    );
    expect((await arx(dir, `config set base_url ${url}`)).exit).toBe(0);
    expect((await arx(dir, 'whoami')).exit).toBe(0);
  });

  test('lists of an empty local archive say the same', async () => {
    const { url } = await other();
    await emptyData(join(dir, 'data'));
    expect((await login(url)).exit).toBe(0);
    expect((await arx(dir, 'messages ls')).stderr).toContain(`arx config set base_url ${url} (you are`);
  });

  test('of several logins of this profile the last one is named, with the profile', async () => {
    const [first, { url }] = [await serveTokens(), await other()];
    try {
      expect((await arx(dir, 'config set --profile work client_id me')).exit).toBe(0);
      expect((await login(url, ' --profile work')).exit).toBe(0);
      expect((await login(first.url)).exit).toBe(0);
      expect((await arx(dir, 'whoami')).stderr).toContain(`hint: arx config set base_url ${first.url} (`);
      expect((await arx(dir, 'whoami --profile work')).stderr).toContain(
        `hint: arx config set --profile work base_url ${url} (`,
      );
    } finally {
      await first.close();
    }
  });
});

describe('without a terminal', () => {
  test.each([
    ['', '--client-id NAME --observer-tier external'],
    [' --client-id "my name"', "--client-id 'my name' --observer-tier external"],
    [' --observer-tier mirror', '--client-id NAME --observer-tier mirror'],
    [' --use', '--client-id NAME --observer-tier external --use'],
  ])('login%s: the hint is the line for a script', async (given, words) => {
    const line = 'login --base-url http://127.0.0.1:9';
    const { exit, stderr } = await arx(dir, `${line}${given}`, { env: ENV });
    expect([exit, stderr.split('\n')[1]]).toEqual([
      2,
      `  hint: arx ${line} ${words}; or without a login: --token-file FILE with each other command, or ARX_TOKEN`,
    ]);
  });
});

test('Ctrl-C at the question after a refused tier does not report the refusal again', async () => {
  const { base_url } = await ours();
  const controller = new AbortController();
  const typed = ['ada', 'mirror'];
  const stopped = async (): Promise<string> => {
    const answer = typed.shift();
    if (answer !== undefined) return answer;
    controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
    throw controller.signal.reason;
  };
  const world = fakeWorld({ dir, argv: ['login', '--base-url', base_url], columns: 80, env: ENV });
  const stdin = { ...world.stdin, line: stopped };
  const exit = await run({ ...world, stdin, signal: controller.signal, randomBytes });
  expect(exit).toBe(130);
  expect(world.stderrText().match(/no scope above tier/g)).toHaveLength(1);
  expect(world.stderrText()).toMatch(
    /arx: interrupted: no token was stored; run the same command again\n {2}\[signal, exit 130\]\n$/,
  );
});

test('without a terminal: what is missing is named, and that no password is asked for', async () => {
  const { exit, stderr } = await arx(dir, 'login --base-url http://127.0.0.1:9', { stdin: 'hunter2\n' });
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining(
      '--client-id, --observer-tier missing, and there is no terminal to ask on; no password',
    ),
  ]);
});

test('--offline is refused before anything is asked or missed', async () => {
  const { exit, stderr } = await arx(
    dir,
    '--offline login --base-url http://archive.example --insecure-http',
  );
  expect([exit, stderr]).toEqual([10, expect.stringContaining('archive.example is not asked: --offline')]);
  expect(stderr).not.toContain('missing');
});
