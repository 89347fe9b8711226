// Asks real shells what they propose at the end of a command line. One process per shell answers all lines.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const scripts = join(dir, '.scripts');
  mkdirSync(scripts, { recursive: true });
  const script = join(scripts, SCRIPT_NAMES[shell]);
  writeFileSync(script, completionScript(shell));
  if (shell === 'fish') return typed.map((line) => fishProposals(script, line, dir));
  const answers = join(scripts, `${shell}.answers`);
  const setup = join(scripts, `${shell}.setup`);
  writeFileSync(answers, '');
  // Each line becomes one record of the arguments; the number in the prompt says that the shell is ready.
  const common = `arx() { { printf '%s\\0' "$@"; printf '\\n'; } >> ${answers}; }; n=0`;
  const own = {
    bash: `source ${script}
bind 'set completion-query-items 0' '"\\C-t": insert-completions'
PROMPT_COMMAND='n=$((n+1)); PS1="<$n>"'`,
    zsh: `fpath=(${scripts} $fpath); autoload -Uz compinit; compinit -u -D
every() { _main_complete; compstate[insert]=all compstate[list]= }
zle -C every complete-word every; bindkey '^T' every
precmd() { n=$((n+1)); PROMPT="<$n>" }`,
  }[shell];
  writeFileSync(setup, `${common}\n${own}\n`);
  const start = shell === 'bash' ? `bash --noprofile --rcfile ${setup} -i` : 'zsh -f -i';
  const first = shell === 'bash' ? [] : [`source ${setup}`];
  await typeLines(
    start,
    first,
    typed.map((line) => `${line}\x14`),
    dir,
  );
  const records = readFileSync(answers, 'utf8').split('\0\n').slice(0, -1);
  return typed.map((line, index) => newWords(line, records[index]?.split('\0') ?? []));
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

/** Types each line when the prompt for it is there, then `exit`. */
async function typeLines(command: string, first: string[], typed: string[], dir: string): Promise<void> {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'dumb', LANG: 'C.UTF-8' },
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
  await new Promise((resolve) => child.on('exit', resolve));
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
