// A command line and a world in, an exit code out: parse, run, say what went wrong.
import { version } from '../package.json';
import type { App } from './app.ts';
import { exitCodeOf, worstOf } from './exit.ts';
import { Fault } from './faults.ts';
import type { World } from './world.ts';

/** Runs one command to its end. Never throws; everything shown was written when it resolves. */
export async function run(world: World): Promise<number> {
  const faults: Fault[] = [];
  let app: App | undefined;
  try {
    const { parse } = await import('./program.ts');
    const parsed = await parse(world.argv, version);
    if ('text' in parsed) {
      await world.stdout.write(parsed.text);
      return 0;
    }
    const { createApp } = await import('./app.ts');
    app = await createApp(world, parsed, version, faults);
    await app.run(parsed.call);
  } catch (error) {
    faults.push(faultOf(error, world));
  }
  await app?.close().catch((error: unknown) => faults.push(faultOf(error, world)));
  const worst = worstOf(faults);
  if (worst === undefined) return 0;
  await report(faults, world, app).catch(() => {});
  return exitCodeOf(worst);
}

/** An aborted run is an interruption whatever error the abort surfaced as; everything else unknown is a bug. */
function faultOf(error: unknown, world: World): Fault {
  if (error instanceof Fault) return error;
  if (world.signal.aborted) return world.signal.reason as Fault;
  return new Fault('internal', 'unexpected error; ARX_DEBUG=1 shows where', { cause: error });
}

async function report(faults: readonly Fault[], world: World, app: App | undefined): Promise<void> {
  // A closed pipe is the reader's choice: nothing to say about it.
  if (faults.every((fault) => fault.detail.signal === 'SIGPIPE')) return;
  const { reportFaults } = await import('./format/fault.ts');
  const json = app?.wantsJson ?? asksForJson(world.argv);
  await world.stderr.write(reportFaults(faults, { json, debug: world.env['ARX_DEBUG'] === '1' }));
}

/** Before the command line is understood, its form can only be guessed from the words. */
function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      /^(--json|--output=(nd)?json|-o(nd)?json)$/.test(word) ||
      (/^(-o|--output)$/.test(word) && /^(nd)?json$/.test(argv[index + 1] ?? '')),
  );
}
