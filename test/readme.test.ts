// README.md: its size, the commands and exit codes it names, and the output it shows. CHANGELOG.md: its form.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from '../src/arx.ts';
import { HELP_TOPIC_NAMES } from '../src/command-list/help-topics.ts';
import { COMMAND_LIST } from '../src/command-list/index.ts';
import { EXIT } from '../src/exit.ts';
import { sampleData } from './support/sample.ts';
import { tempFolder } from './support/temp-folder.ts';
import { consoleSteps, matchesShown, wordsOf } from './support/transcript.ts';
import { fakeWorld } from './support/fake-world.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

test('README has at most 12 KiB and no long lines of text', () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(12_288);
  const prose = readme.replaceAll(/```[^]*?```/g, '').split('\n');
  expect(prose.filter((line) => line.length > 80)).toEqual([]);
});

test('CHANGELOG has at most 150 lines of at most 120 characters, each entry one line under a task', () => {
  const lines = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  const entries = lines.slice(lines.indexOf('## 0.1.0 (unreleased)'));
  expect(entries.filter((line) => line !== '' && !/^(?:#{2,4} |- )/.test(line))).toEqual([]);
});

test('README names every command, topic and exit code', () => {
  expect(COMMAND_LIST.filter(({ words }) => !readme.includes(`\`arx ${words}\``))).toEqual([]);
  expect(HELP_TOPIC_NAMES.filter((topic) => !readme.includes(`\`${topic}\``))).toEqual([]);
  const codes = Object.entries(EXIT).filter(([kind]) => kind !== 'interrupted');
  expect(codes.filter(([kind, code]) => !readme.includes(`\`${code} ${kind}\``))).toEqual([]);
});

describe('the tour in README prints what it shows', () => {
  let dir: string;
  beforeAll(async () => {
    dir = tempFolder('readme');
    await sampleData(join(dir, 'data'));
  });

  // In this order: a step may need what an earlier one wrote.
  test.each(consoleSteps(readme).map((step, index) => ({ ...step, index })))(
    '$line',
    async ({ line, shown, index }) => {
      const argv = wordsOf(line).slice(1);
      const env = { LANG: 'C.UTF-8', NO_COLOR: '1' };
      const world = fakeWorld({ argv, dir, env, columns: 60, seed: index });
      await run(world);
      const printed = `${world.stdoutText()}${world.stderrText()}`
        .split('\n')
        .map((text) => text.trimEnd())
        .filter((text) => text !== '');
      expect(matchesShown(printed, shown), printed.join('\n')).toBe(true);
    },
  );
});
