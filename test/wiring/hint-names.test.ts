// The commands that notices and hints propose read the archive of the run, also where an option named it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { hintNames } from '../../src/wiring/hint-names.ts';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { serve, tokenOf } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

test('a service that --base-url names', async () => {
  const home = tempFolder('named');
  await sampleData(join(home, 'data'));
  const service = await serve(home);
  try {
    const env = { ARX_TOKEN: await tokenOf(service.base_url, service.owner) };
    const url = `--base-url ${service.base_url}`;
    const run = async (line: string): Promise<string> => (await arx(home, `${url} ${line}`, { env })).stderr;
    expect(await run('attachments ls --source spam')).toContain(
      `arx ${url} attachments ls --source none --redacted yes`,
    );
    expect(await run('attachments ls --type spam')).toContain(`arx ${url} attachments types lists them`);
    expect(await run('attachments show att_99')).toContain(
      `hint: arx ${url} attachments ls --all lists them`,
    );
    expect(await run('search source:nothing')).toContain(`arx ${url} search --facet source lists them`);
    const next = await run('attachments ls --limit 1');
    expect(next).toContain(`next page: arx ${url} attachments ls --limit 1 --after att_1`);
    expect(next.split(url)).toHaveLength(3);
  } finally {
    await service.close();
  }
});

test.each([
  [{ local: true }, 'arx --local'],
  [{ baseUrl: 'http://127.0.0.1:1/', profile: 'work' }, 'arx --base-url http://127.0.0.1:1 --profile work'],
  [{}, 'arx'],
])('the beginning of a command that reads the archive of a run with the options %j', (flags, arx) => {
  const env = { ARX_BASE_URL: 'http://127.0.0.1:2' };
  const dir = tempFolder('hint-names');
  const outside = { env, cwd: dir, home: dir, platform: 'linux' } as const;
  expect(
    hintNames(loadSettings(flags, outside, { uid: undefined, notice: () => {} }, { lenient: true })).arx,
  ).toBe(arx);
});

test('every command in the code that reads the archive of a run begins so', () => {
  const reads =
    /\barx (?:attachments (?!verify)|content |conversations (?!verify)|events (?!types)|messages |read |report\b|search |sequence )/;
  const src = join(import.meta.dirname, '../../src');
  // Texts of pages and help, and one about the usage of a command.
  const others =
    /^(command-list|completion|explore|format|help|service)\/|^commands\/content\/diff\.ts$|^contract\/readme\.ts$/;
  const lines = (readdirSync(src, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !others.test(file))
    .flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .flatMap((line) =>
          /^\s*(?:\/\/|\/?\*)/.test(line) || !reads.test(line) ? [] : [`${file}: ${line}`],
        ),
    );
  expect(lines).toEqual([]);
});

test('every id in a command that is proposed is one argument of a shell, whatever the service calls it', () => {
  const src = join(import.meta.dirname, '../../src');
  const id = /\barx\}? [^`]*\$\{(?:[\w.]+\.)?(?:#?first|id|name)\b/;
  const lines = (readdirSync(src, { recursive: true }) as string[])
    // Ids that are `att_`, `msg_` or `conv_` with digits; the service itself.
    .filter((file) => file.endsWith('.ts') && !/^(?:client\/record-hint\.ts|service\/.*)$/.test(file))
    .flatMap((file) => readFileSync(join(src, file), 'utf8').split('\n'))
    .filter((line) => id.test(line));
  expect(lines).toEqual([]);
});
