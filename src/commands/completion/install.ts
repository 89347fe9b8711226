// `arx completion install` and `uninstall`: put the completion script where a new shell loads it, and take it away again.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type { App } from '../../app.ts';
import {
  ANSWER,
  installPlace,
  isOurScript,
  QUESTIONS,
  shellOf,
  withLines,
  type InstallPlace,
  type ShellState,
} from '../../completion/install-place.ts';
import { completionScript, SHELLS, type Shell } from '../../completion/scripts.ts';
import { writeFileAtomically } from '../../disk/atomic-file.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { makeFolderSync } from '../../disk/make-folder.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import type { Line } from '../../format/terminal/styled-line.ts';
import { escapeText } from '../../format/terminal/escape.ts';
import { confirm } from '../shared/confirm.ts';

type Options = { yes: boolean; dryRun: boolean };
type Done = 'written' | 'replaced' | 'unchanged' | 'removed' | 'absent';

/** Runs `arx completion install`. */
export async function install(target: Shell | undefined, options: Options, app: App): Promise<void> {
  const shell = chosenShell(target, app);
  const place = installPlace(shell, app.world, await stateOf(shell, app));
  const { path, startFile, lines } = place;
  const before = readOwn(path, app);
  if (before !== undefined && !isOurScript(before)) throw notOurs(path);
  const script = completionScript(shell);
  const isNew = before !== script;
  if (isNew && !options.dryRun) write(path, script, app);
  const done: Done = !isNew ? 'unchanged' : before === undefined ? 'written' : 'replaced';
  const loading = await addLines(place, options, app);
  const isLoaded = loading !== 'needed';
  const begin = options.dryRun ? 'dry run, nothing is changed: ' : '';
  const report = { shell, path, done, start_file: startFile ?? null, lines, added: loading === 'added' };
  await app.printer.report({ ...report, loaded: isLoaded, dry_run: options.dryRun }, () => [
    `${begin}${path}: ${done}`,
    ...(loading === 'added' ? [`${startFile}: ${plural(lines.length, 'line')} added`] : []),
    ...(isLoaded ? [`a new ${shell} completes arx`] : missingLines(shell, place)),
    // Who tries it at once with an id gets nothing.
    'ids, cities and other values are proposed once a list has shown them: arx help environment',
    `to undo this: arx completion uninstall ${shell}`,
  ]);
}

function missingLines(shell: Shell, { startFile, lines }: InstallPlace): Line[] {
  return [
    `${shell} does not load it yet; add to ${startFile ?? '$PROFILE'}:`,
    ...lines.map((line) => ({ text: `  ${line}`, isWhole: true })),
    ...(startFile === undefined ? [] : [`or let arx add them: arx completion install ${shell} --yes`]),
  ];
}

/** Runs `arx completion uninstall`. */
export async function uninstall(target: Shell | undefined, options: Options, app: App): Promise<void> {
  const shell = chosenShell(target, app);
  const { path, startFile } = installPlace(shell, app.world, await stateOf(shell, app));
  const before = readOwn(path, app);
  if (before !== undefined && !isOurScript(before)) throw notOurs(path);
  const text = startFile === undefined ? undefined : readStartFile(startFile, app);
  const rest = text === undefined ? undefined : withLines(text, []);
  if (!options.dryRun) {
    if (startFile !== undefined && rest !== undefined && rest !== text) write(startFile, rest, app);
    if (before !== undefined) remove(path);
  }
  const done: Done = before === undefined ? 'absent' : 'removed';
  const lines = rest === text ? [] : [`${startFile}: the lines of arx removed`];
  const begin = options.dryRun ? 'dry run, nothing is changed: ' : '';
  const report = { shell, path, done, start_file: startFile ?? null, lines: [] };
  await app.printer.report({ ...report, added: false, loaded: false, dry_run: options.dryRun }, () => [
    `${begin}${path}: ${done}`,
    ...lines,
  ]);
}

function chosenShell(target: Shell | undefined, app: App): Shell {
  if (app.world.home === '') throw new Fault('store', 'the home folder is unknown', { hint: 'set HOME' });
  const shell = target ?? shellOf(app.world);
  if (shell !== undefined) return shell;
  throw new Fault('usage', `the shell is not known from SHELL; name it: ${SHELLS.join(', ')}`, {
    hint: 'arx completion install bash',
  });
}

/** Adds the lines to the start file, if the user agrees. `needed`: a new shell does not load the script. */
async function addLines(
  { startFile, lines }: InstallPlace,
  options: Options,
  app: App,
): Promise<'loaded' | 'added' | 'needed'> {
  if (lines.length === 0) return 'loaded';
  if (startFile === undefined) return 'needed';
  const text = readStartFile(startFile, app);
  if (text === undefined) return 'needed';
  const found = new Set(text.split('\n').map((line) => line.trim()));
  if (lines.every((line) => found.has(line))) return 'loaded';
  if (options.dryRun || !(options.yes || app.mayAsk)) return 'needed';
  try {
    if (!options.yes) await app.world.stderr.write(lines.map((line) => `${escapeText(line)}\n`).join(''));
    await confirm(`add ${plural(lines.length, 'line')} to ${escapeText(startFile)}?`, options, app);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'usage') return 'needed';
    throw error;
  }
  write(startFile, withLines(text, lines), app);
  return 'added';
}

/** Returns the text of a start file, empty where there is none; undefined where it must not be changed, which is said. */
function readStartFile(path: string, app: App): string | undefined {
  try {
    return readOwn(path, app) ?? '';
  } catch (error) {
    // They are often links into another folder: then the user changes the file.
    if (!(error instanceof Fault)) throw error;
    app.notice(`${error.message}; it is not changed`);
    return undefined;
  }
}

/** Asks a new interactive shell; one that cannot be started says nothing. */
async function stateOf(shell: Shell, app: App): Promise<ShellState> {
  const question = QUESTIONS[shell];
  if (question === undefined) return { isReady: true, folders: [] };
  const output = await app.world
    .capture(shell, ['-i', '-c', question], MAX_SHELL_MS)
    .catch((error: unknown) => {
      app.world.signal.throwIfAborted();
      app.log(`${shell} cannot be asked: ${error instanceof Error ? error.message : 'unknown error'}`);
      return '';
    });
  const answers = output
    .split('\n')
    .flatMap((line) => (line.startsWith(ANSWER) ? [line.slice(ANSWER.length)] : []));
  const [first = '', ...folders] = answers;
  return {
    isReady: !['', '0'].includes(first),
    folders: folders.filter((folder) => isOwnFolder(folder, app)),
  };
}

/** A start file that takes longer is not waited for. */
const MAX_SHELL_MS = 30_000;

/** Whether the folder belongs to this user. Root also owns folders of all users, which are left alone. */
function isOwnFolder(folder: string, { world }: App): boolean {
  if (world.uid === 0 && !folder.startsWith(`${world.home}/`)) return false;
  try {
    const stat = fs.statSync(folder);
    fs.accessSync(folder, fs.constants.W_OK);
    return stat.isDirectory() && (world.uid === undefined || stat.uid === world.uid);
  } catch {
    return false;
  }
}

/** Returns the text of a file, undefined where there is none. Throws Fault 'unsafe' for a link and for a file of another user. */
function readOwn(path: string, { world }: App): string | undefined {
  try {
    const stat = fs.lstatSync(path);
    if (!stat.isFile())
      throw new Fault(
        'unsafe',
        `${path} is ${stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'}`,
      );
    if (world.uid !== undefined && stat.uid !== world.uid)
      throw new Fault('unsafe', `${path} belongs to another user`);
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Fault) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskFault(error, path);
  }
}

/** Writes a file in one step; it keeps its mode. */
function write(path: string, text: string, { world }: App): void {
  try {
    const mode = fs.existsSync(path) ? fs.statSync(path).mode & 0o777 : 0o644;
    makeFolderSync(dirname(path), 0o777);
    writeFileAtomically({ temporary: `${path}.tmp-${world.pid}`, path, force: true }, Buffer.from(text));
    fs.chmodSync(path, mode);
  } catch (error) {
    throw diskFault(error, path);
  }
}

function remove(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    throw diskFault(error, path);
  }
}

function notOurs(path: string): Fault {
  return new Fault('conflict', `${path} was not made by arx completion`, {
    kept: 'the file was left as it is',
    hint: 'move it away, and run the same command again',
  });
}
