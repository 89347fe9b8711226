// Asks real shells what they propose at the end of a command line. One process per shell answers all lines.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startProcess, type Running, type StartOptions } from './program.ts';
import { completionScript, SCRIPT_NAMES } from '../../src/completion/scripts.ts';

export type RealShell = 'bash' | 'zsh' | 'fish';

/**
 * The proposals for each line, in `dir` (which also takes the scripts). bash and zsh sit at a terminal of their own
 * (util-linux `script`), where one key inserts every proposal; what is typed so is then read back as arguments.
 */
export async function proposals(
  shell: RealShell,
  typed: readonly string[],
  dir: string,
): Promise<string[][]> {
  if (shell === 'fish') {
    const script = writeScript(shell, dir);
    return typed.map((line) => fishProposals(script, line, dir));
  }
  const keys = typed.map((line) => `${line}\x14`);
  const found = await argumentsOf(shell, keys, { dir });
  return typed.map((line, index) => newWords(line, found[index] ?? []));
}

/**
 * The arguments that a command `arx` gets when each line of keys is typed at a terminal, in which a tab completes. `path`:
 * folders with the `arx` that the completion scripts ask.
 */
export async function argumentsOf(
  shell: RealShell,
  keys: readonly string[],
  { dir, path, env = {} }: { dir: string; path?: string; env?: Record<string, string> },
): Promise<string[][]> {
  const script = writeScript(shell, dir);
  const scripts = dirname(script);
  const answers = join(scripts, `${shell}.answers`);
  const setup = join(scripts, `${shell}.setup`);
  writeFileSync(answers, '');
  // Each line becomes one record of the arguments; the number in the prompt says that the shell is ready.
  const common = `arx() { { printf '%s\\0' "$@"; printf '\\n'; } >> ${answers}; }; n=0`;
  const lines = {
    bash: `${common}
source ${script}
bind 'set completion-query-items 0' '"\\C-t": insert-completions'
PROMPT_COMMAND='n=$((n+1)); PS1="<$n>"'`,
    zsh: `${common}
fpath=(${scripts} $fpath); autoload -Uz compinit; compinit -u -D
every() { _main_complete; compstate[insert]=all compstate[list]= }
zle -C every complete-word every; bindkey '^T' every
precmd() { n=$((n+1)); PROMPT="<$n>" }`,
    fish: `source ${script}
function arx; begin; printf '%s\\0' $argv; printf '\\n'; end >> ${answers}; end
set -g n 0
function fish_prompt; set -g n (math $n + 1); echo -n "<$n>"; end
function fish_right_prompt; end
function fish_mode_prompt; end`,
  }[shell];
  writeFileSync(setup, `${lines}\n`);
  const start = {
    bash: `bash --noprofile --rcfile ${setup} -i`,
    zsh: 'zsh -f -i',
    fish: `fish --no-config -i -C 'source ${setup}'`,
  }[shell];
  const first = shell === 'zsh' ? [`source ${setup}`] : [];
  await typeLines(start, first, keys, dir, { ...env, ...(path === undefined ? {} : { PATH: path }) });
  const records = readFileSync(answers, 'utf8').split('\0\n').slice(0, -1);
  return records.map((record) => record.split('\0'));
}

/** Writes the completion script of a shell, which finds it by its name. */
function writeScript(shell: RealShell, dir: string): string {
  const script = join(dir, '.scripts', SCRIPT_NAMES[shell]);
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, completionScript(shell));
  return script;
}

/** A command line of bash at a terminal of its own, whose screen is stdout; what is written to stdin is typed. */
export function atTerminal(line: string, options: StartOptions): Running {
  return startProcess('script', ['-qec', `bash -c ${quoted(line)}`, '/dev/null'], {
    ...options,
    env: { TERM: 'xterm', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A shell that takes longer for all its lines is stuck. */
const MAX_SHELL_MS = 30_000;

/** Types each line when the prompt for it is there, then `exit`. */
async function typeLines(
  command: string,
  first: readonly string[],
  typed: readonly string[],
  dir: string,
  env: Record<string, string>,
): Promise<void> {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'dumb', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for (const line of first) child.stdin.write(`${line}\n`);
  const waiting = [...typed, 'exit'];
  let screen = '';
  let prompt = 1;
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    if (!screen.includes(`<${prompt}>`)) return;
    screen = '';
    prompt += 1;
    child.stdin.write(`${waiting.shift() ?? ''}\n`);
  });
  // A shell that waits for the rest of a line never shows its prompt again.
  const limit = setTimeout(() => child.kill('SIGKILL') && child.stdout.destroy(), MAX_SHELL_MS);
  const signal = await new Promise((resolve) => child.on('exit', (_code, ended) => resolve(ended)));
  clearTimeout(limit);
  if (signal !== null) throw new Error(`no prompt after ${JSON.stringify(typed[prompt - 2])}: ${screen}`);
}

/** What stands where the last word was typed. */
function newWords(line: string, words: string[]): string[] {
  const current = /(?:\\.|\S)*$/.exec(line)?.[0] ?? '';
  const before = line.slice(0, line.length - current.length).match(/'[^']*'|\S+/g) ?? [];
  return words
    .slice(before.length - 1)
    .filter((word) => word !== '' && word !== current.replaceAll('\\', ''))
    .map(bare);
}

/** Without a leading `--option=` and a folder's final slash, which shells give or leave out. */
function bare(word: string): string {
  return word.replace(/^--[\w-]+=/, '').replace(/\/$/, '');
}

function fishProposals(script: string, line: string, dir: string): string[] {
  const run = spawnSync(
    'fish',
    ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line],
    {
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir, TERM: 'dumb', LANG: 'C.UTF-8' },
      encoding: 'utf8',
    },
  );
  if (run.stderr !== '') throw new Error(run.stderr);
  return run.stdout
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => bare((row.split('\t')[0] ?? '').replaceAll('\\ ', ' ')));
}
