// Whole sessions: every test/transcripts/*.transcript is run and must print exactly what it says.
// UPDATE_TRANSCRIPTS=1 writes what was printed; read the difference before it is committed.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run } from '../src/arx.ts';
import { sampleData } from './support/sample.ts';
import { tempFolder } from './support/temp-folder.ts';
import { formatTranscript, parseTranscript, wordsOf, type Step } from './support/transcript.ts';
import { fakeWorld } from './support/fake-world.ts';

const DIR = join(import.meta.dirname, 'transcripts');
let template: string;

beforeAll(async () => {
  template = tempFolder('template');
  await sampleData(join(template, 'data'));
  slackExport(join(template, 'slack'));
});

/** A message whose file is named and was not exported. */
function slackExport(dir: string): void {
  const chart = { id: 'F1', name: 'chart.png', mimetype: 'image/png', size: 1234 };
  const said = { type: 'message', user: 'U1', ts: '1704180000.000100', text: 'the chart', files: [chart] };
  mkdirSync(join(dir, 'general'), { recursive: true });
  writeFileSync(join(dir, 'channels.json'), JSON.stringify([{ id: 'C1', name: 'general' }]));
  writeFileSync(join(dir, 'users.json'), JSON.stringify([{ id: 'U1', name: 'ada' }]));
  writeFileSync(join(dir, 'general', '2024-01-02.json'), JSON.stringify([said]));
}

/**
 * One step in the session's folder. Its scratch path is written as ~, so that it reads the same everywhere. The confidence of a walk,
 * the number of its requests and the hash that covers it are cut: they depend on which of its reads ends first, and so on how busy the machine is.
 */
async function play(step: Step, dir: string, seed: number): Promise<Step> {
  const world = fakeWorld({
    argv: wordsOf(step.line).slice(1),
    dir,
    stdin: step.stdin,
    seed,
    env: { LANG: 'C.UTF-8' },
    ...(step.columns === undefined ? {} : { columns: step.columns }),
  });
  const exit = await run(world);
  const tame = (text: string) =>
    text
      .replaceAll(dir, '~')
      .replaceAll(/(confidence"?[ :]0\.9999)\d+/g, '$1…')
      .replaceAll(/\d+( requests ·)|("requests":)\d+/g, '$2…$1')
      .replaceAll(/(\[2m|"head":")[0-9a-f]{12}([0-9a-f]{52})?(?=[^0-9a-f])/g, '$1…');
  return { ...step, stdout: tame(world.stdoutText()), stderr: tame(world.stderrText()), exit };
}

test.each(readdirSync(DIR).filter((name) => name.endsWith('.transcript')))('%s', async (name) => {
  // The path has the same length everywhere, because HTML reports contain it and their size is printed.
  const dir = tempFolder('session'.padEnd(40 - tmpdir().length - '/arx--'.length, '-'));
  // Sessions about the sample archive begin with it; one named empty-* begins with nothing.
  if (!name.startsWith('empty-')) cpSync(template, dir, { recursive: true });
  const path = join(DIR, name);
  const text = readFileSync(path, 'utf8');
  const played: Step[] = [];
  for (const step of parseTranscript(text)) played.push(await play(step, dir, played.length));
  const printed = formatTranscript(played);
  if (process.env['UPDATE_TRANSCRIPTS'] === '1') writeFileSync(path, printed);
  else expect(printed).toBe(text);
});
