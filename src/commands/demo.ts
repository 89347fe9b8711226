// `arx demo`: runs a tour on a generated sample archive in a temporary folder, and shows each command before its output.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { EXIT } from '../exit.ts';
import { Fault } from '../faults.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { shellWord } from '../shell-words.ts';
import type { Sink, World } from '../world.ts';

export const Input = z.object({ keep: z.boolean().default(false) });

/** A command of the tour and what it shows. */
type Step = { why: string; line: string[] };

const STEPS: Step[] = [
  { why: 'log in to the local archive', line: ['login', '--observer-tier', 'internal'] },
  { why: 'list its files by city', line: ['attachments', 'ls', '--city', 'lisbon'] },
  {
    why: 'read what the archive says about a message',
    line: ['content', 'get', 'msg_1', '--view', 'lore', '--pipeline'],
  },
  {
    why: 'walk all conversations through frozen windows',
    line: [
      'conversations',
      'walk',
      '--limit',
      '10',
      '--freeze',
      'walk',
      '--fields',
      'id,subject,message_count',
    ],
  },
  { why: 'check the frozen log, offline', line: ['conversations', 'verify', 'walk'] },
  {
    why: 'send an event that moves a message',
    line: [
      'events',
      'send',
      'message.reordered',
      '--id',
      'evt_demo_1',
      '--payload',
      '{"id":"msg_7","entry":"entry_7","sequence":19}',
    ],
  },
  {
    why: 'see the drift it leaves in the sequence',
    line: ['sequence', 'show', 'arc_reconstruction', '--limit', '24'],
  },
  {
    why: 'download files: a name exists only when its hash matches',
    line: ['attachments', 'pull', '--all', '--to', 'files'],
  },
  { why: 'verify what is on disk', line: ['attachments', 'verify', 'files'] },
];

/** Some steps are partial on purpose: the tour shows that withheld files are reported. */
const PARTIAL = EXIT.partial;

/** Runs `arx demo`. */
export async function run({ keep }: z.infer<typeof Input>, app: App): Promise<void> {
  if (app.isRecorded)
    throw new Fault('usage', 'each step of the demo is a run of its own, so --record does not go with it');
  const dir = await mkdtemp(join(tmpdir(), 'arx-demo-')).catch((error: unknown) => {
    throw diskFault(error, tmpdir());
  });
  app.onInterrupt(() =>
    keep
      ? { kept: `what the tour made is in ${dir}`, next: 'run the same command for a whole one' }
      : { kept: 'the sample archive is deleted', next: 'run the same command again' },
  );
  try {
    await seed(dir, app);
    const json = app.printer.output === 'json' || app.printer.output === 'ndjson';
    const steps = [];
    for (const step of STEPS) {
      steps.push(json ? await recorded(step, dir, app) : await shown(step, dir, app));
      // An interrupted step has reported it already.
      app.world.signal.throwIfAborted();
    }
    const failed = steps.filter((step) => step.exit !== 0 && step.exit !== PARTIAL);
    const report = { version: 1, steps, failed: failed.length, ...(keep ? { dir } : {}) };
    await app.printer.report(report, () => [
      `demo: ${steps.length - failed.length} of ${steps.length} steps as expected${keep ? `; kept in ${dir}` : ''}`,
      ...(keep
        ? ['to go on:', `  ${useOf(join(dir, 'data'), app.world)}`, '  arx help start']
        : ['to go on: arx help start']),
    ]);
    if (failed.length > 0)
      throw new Fault('internal', `the demo failed at: ${failed.map((step) => step.command).join('; ')}`);
  } finally {
    // A thread of a step that failed may still write.
    if (!keep) await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns the line for a shell that makes the archive in a folder the one in use. */
function useOf(folder: string, { platform }: World): string {
  return platform === 'win32'
    ? `$env:ARX_DATA_DIR = '${folder.replaceAll("'", "''")}'`
    : `export ARX_DATA_DIR=${shellWord(folder)}`;
}

async function seed(dir: string, app: App): Promise<void> {
  const { accessErrorOf, accessFault, DatabaseAccessError, openArchive } =
    await import('../service/index.ts');
  const { importItems } = await import('../service/import/index.ts');
  const { sampleItems } = await import('../service/sample/index.ts');
  const archive = await openArchive({
    dir: join(dir, 'data'),
    now: app.world.now,
    randomBytes: app.world.randomBytes,
    sleep: app.world.sleep,
  }).catch((error: unknown) => {
    const meant = accessErrorOf(error);
    throw meant instanceof DatabaseAccessError ? accessFault(meant) : error;
  });
  await importItems(archive, sampleItems(7)).finally(() => archive.close());
}

/** Returns a world whose settings, tokens and archive are in the temporary folder. */
function worldOf(argv: string[], dir: string, world: World): World {
  const { PATH, TERM, LANG, LC_ALL, NO_COLOR, FORCE_COLOR, COLUMNS } = world.env;
  return {
    ...world,
    argv,
    cwd: dir,
    home: dir,
    env: {
      PATH,
      TERM,
      LANG,
      LC_ALL,
      NO_COLOR,
      FORCE_COLOR,
      COLUMNS,
      // A pager would stop the tour.
      ARX_PAGER: '',
      ARX_DATA_DIR: join(dir, 'data'),
      ARX_CONFIG_DIR: join(dir, 'config'),
    },
  };
}

async function shown(step: Step, dir: string, app: App) {
  const command = commandOf(step);
  await app.world.stdout.write(`\n# ${step.why}\n$ ${command}\n`);
  // A tour is for people, also in a pipe.
  const exit = await app.runLine(worldOf([...step.line, '-o', 'table'], dir, app.world));
  return { command, exit };
}

async function recorded(step: Step, dir: string, app: App) {
  const out: Uint8Array[] = [];
  const capture: Sink = {
    isTTY: false,
    columns: undefined,
    write: async (chunk) => void out.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
  };
  const quiet: Sink = { isTTY: false, columns: undefined, write: async () => {} };
  const world = worldOf([...step.line, '--json'], dir, { ...app.world, stdout: capture, stderr: quiet });
  const exit = await app.runLine(world);
  return {
    command: commandOf(step),
    exit,
    output: JSON.parse(Buffer.concat(out).toString('utf8')) as unknown,
  };
}

function commandOf(step: Step): string {
  return ['arx', ...step.line.map((word) => (/^[\w./,-]+$/.test(word) ? word : `'${word}'`))].join(' ');
}
