// The commands that notices and hints propose read the archive of the run, also where an option named it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withArchiveWords } from '../../src/wiring/archive-words.ts';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { serve, tokenOf } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

test('a service that --base-url names', async () => {
  const home = tempFolder('archive-words');
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
    const next = await run('attachments ls --limit 1');
    expect(next).toContain(`next page: arx ${url} attachments ls --limit 1 --after att_1`);
    expect(next.split(url)).toHaveLength(3);
  } finally {
    await service.close();
  }
});

test('the options of an archive, and commands that read none', () => {
  const settings = (
    base: string | undefined,
    origin: 'flag' | 'environment',
    profile: 'flag' | 'default',
  ) => ({
    base_url: { value: base, origin },
    profile: { value: 'p q', origin: profile },
  });
  const text = 'arx read ID; its files: arx attachments ls; arx attachments verify DIR; arx help queries';
  expect(withArchiveWords(text, settings(undefined, 'flag', 'default'))).toBe(
    'arx --local read ID; its files: arx --local attachments ls; arx attachments verify DIR; arx help queries',
  );
  expect(withArchiveWords('arx read ID', settings('http://h/', 'flag', 'flag'))).toBe(
    "arx --base-url http://h/ --profile 'p q' read ID",
  );
  expect(withArchiveWords(text, settings('http://h/', 'environment', 'default'))).toBe(text);
  expect(withArchiveWords('arx --local attachments ls', settings('http://h/', 'flag', 'default'))).toBe(
    'arx --local attachments ls',
  );
});
