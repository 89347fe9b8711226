// Runs one command line in a world and returns its exit code.
import { version } from '../package.json';
import type { CommandBody } from './commands/command-body.ts';
import { diskFault } from './disk/disk-fault.ts';
import { exitCodeOf, worstOf } from './exit.ts';
import { Fault, hintText, NOTHING_CHANGED } from './faults.ts';
import { effectOf } from './command-list/command-spec.ts';
import type { Call, Parsed } from './program.ts';
import type { RunningApp } from './wiring/create-app.ts';
import type { World } from './world.ts';

/**
 * Runs one command and returns its exit code. Never throws; all output is written when it resolves. `onReport` is told of each
 * report that the command prints, as an object in its wire form.
 */
export async function run(world: World, onReport?: (wire: object) => void): Promise<number> {
  const faults: Fault[] = [];
  let app: RunningApp | undefined;
  let endsBySignal = false;
  let call: Call | undefined;
  try {
    const { parse } = await import('./program.ts');
    const parsed = await parse(world.argv, version);
    if ('text' in parsed) {
      await writeText(parsed, world);
      world.signal.throwIfAborted();
      return 0;
    }
    // Relative paths, and modules that ask for the folder, would fail one by one.
    if (world.cwd === '')
      throw new Fault('disk', 'the current folder no longer exists', {
        hint: 'change to another folder: cd',
      });
    call = parsed.call;
    const { checkStandardStreams, hasDash } = await import('./wiring/standard-streams.ts');
    if (hasDash(call.given) || hasDash(call.flags)) checkStandardStreams(call.spec, call.given, call.flags);
    const { LOAD_BODY } = await import('./commands/index.ts');
    const body = await LOAD_BODY[call.spec.words]();
    const { createApp } = await import('./wiring/create-app.ts');
    app = await createApp(world, { ...call, version, faults, runLine: run, onReport });
    endsBySignal = body.endsBySignal === true;
    try {
      if (app.flags.fields === true) await app.listFields();
      else await runBody(body, call, app);
    } catch (error) {
      const fault = faultOf(error, app.world);
      // A user who closes the pager has seen enough.
      if (!(fault.detail.signal === 'SIGPIPE' && app.isPagerClosed())) faults.push(fault);
    }
    await app.finishOutput();
  } catch (error) {
    faults.push(faultOf(error, app?.world ?? world));
  }
  await app?.close().catch((error: unknown) => faults.push(faultOf(error, app?.world ?? world)));
  const interruption = interruptionOf(app?.world ?? world, { app, faults, endsBySignal });
  if (interruption !== undefined) {
    // Other parts of the run that were interrupted ended because of the same signal.
    const others = faults.filter(({ kind }) => kind !== 'interrupted');
    faults.splice(0, faults.length, interruption, ...others);
  }
  const worst = worstOf(faults);
  if (worst === undefined) return 0;
  // The help of the command explains what it accepts.
  if (call !== undefined && worst.kind === 'usage') worst.detail.hint ??= `arx help ${call.spec.words}`;
  // A command that only reads need not say that nothing was changed.
  if (call === undefined || effectOf(call.spec, call.given) === 'none')
    for (const { detail } of faults) if (detail.kept === NOTHING_CHANGED) delete detail.kept;
  await report(faults, world, app).catch(() => {});
  return exitCodeOf(worst);
}

/** Writes a help or a version. The overview ends with the archive that is in use. */
async function writeText(
  { text, isOverview }: Extract<Parsed, { text: string }>,
  world: World,
): Promise<void> {
  if (isOverview === true) {
    await world.stdout.write(text);
    const { archiveInUse } = await import('./wiring/archive-in-use.ts');
    await world.stdout.write(`\n${await archiveInUse(world)}\n`);
  } else {
    const { writeHelp } = await import('./wiring/help-output.ts');
    await writeHelp(text, world);
  }
}

/** Reads the input of a command and runs its body. Throws Fault 'usage' where an argument or option does not fit. */
async function runBody(body: CommandBody, { spec, given }: Call, app: RunningApp): Promise<void> {
  const { readInput } = await import('./wiring/input.ts');
  const argumentNames = (spec.arguments ?? []).map(([syntax]) => syntax.replaceAll(/[^\w-]/g, ''));
  const takesForce = 'shape' in body.Input && 'force' in (body.Input.shape as object);
  const { force, offline, record } = app.flags;
  if (force && !takesForce && record === undefined)
    throw new Fault('usage', '--force: this command replaces no file');
  const input = readInput(body.Input, { ...given, force, offline }, argumentNames);
  await app.startRecording();
  await body.run(input as never, app).catch(async (error: unknown) => {
    throw await app.faultOf(error);
  });
  await app.printer.warnOfFields();
}

/** Codes of errors that say that a limit of this machine or process is reached. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

/**
 * Returns the Fault of an error. In an interrupted run any error is the interruption. A limit of the machine is Fault 'disk'; any
 * other unknown error is a bug.
 */
function faultOf(error: unknown, world: World): Fault {
  if (error instanceof Fault) return error;
  if (world.signal.aborted) return world.signal.reason as Fault;
  const { code = '', path = 'this machine' } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_WORKER_INIT_FAILED')
    return new Fault('disk', 'no thread can be started: too many open files, or threads', { cause: error });
  // These two are from bin/start.js, which loads the program.
  if ((error as { isOfProgram?: unknown } | null)?.isOfProgram === true)
    return diskFault(error, path) as Fault;
  if (code === 'ARX_INCOMPLETE') return new Fault('internal', (error as Error).message, { cause: error });
  if (EXHAUSTED.has(code)) return diskFault(error, path) as Fault;
  return new Fault('internal', 'unexpected error; ARX_DEBUG=1 shows where', { cause: error });
}

/**
 * Returns the Fault of a run that a signal ended. Its message says what is kept and how to go on. Returns undefined where no signal
 * ended the run, and for a command that is meant to end by a signal (`endsBySignal`), unless it was Ctrl-C.
 * Where Ctrl-C also ends the reader of a pipe, Ctrl-C is reported.
 */
function interruptionOf(
  { signal }: World,
  run: { app: RunningApp | undefined; faults: readonly Fault[]; endsBySignal: boolean },
): Fault | undefined {
  if (!signal.aborted) return undefined;
  const reason = signal.reason as Fault;
  if (run.endsBySignal && run.faults.length === 0 && reason.detail.signal !== 'SIGINT') return undefined;
  const own = run.app?.interruption();
  // `--max-time` ends a run, too.
  if (reason.kind !== 'interrupted') {
    if (own?.kept !== undefined) reason.detail.kept ??= own.kept;
    return run.faults.length === 0 ? reason : undefined;
  }
  const found = run.faults.find(({ kind, detail }) => kind === 'interrupted' && detail.kept !== undefined);
  const kept = own?.kept ?? found?.detail.kept;
  const next = own?.next ?? hintText(found?.detail.hint ?? 'run the same command again', run.app?.names);
  const message = kept === undefined ? `interrupted; ${next}` : `interrupted: ${kept}; ${next}`;
  return new Fault('interrupted', message, reason.detail);
}

/** Writes the error report to stderr. */
async function report(faults: readonly Fault[], world: World, app: RunningApp | undefined): Promise<void> {
  // The reader closed the pipe on purpose: nothing to report.
  if (faults.every((fault) => fault.detail.signal === 'SIGPIPE')) return;
  const { formatFaults } = await import('./format/fault-report.ts');
  const json = app?.wantsJson ?? asksForJson(world.argv);
  const { columns } = world.stderr;
  await world.stderr.write(
    formatFaults(faults, { json, debug: world.env['ARX_DEBUG'] === '1', columns, names: app?.names }),
  );
}

/** Whether the words ask for JSON, for a command line that could not be parsed. */
function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      /^(--json|--output=(nd)?json|-o(nd)?json)$/.test(word) ||
      (/^(-o|--output)$/.test(word) && /^(nd)?json$/.test(argv[index + 1] ?? '')),
  );
}
