// Where a completion script belongs, so that a new shell of the user loads it, and what a shell that does not needs in its start file.
import { isAbsolute, join } from 'node:path';
import { quoted } from './places.ts';
import type { Shell } from './scripts.ts';

/** What decides the place. */
export type PlaceInputs = {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: string;
};

/** What a new interactive shell of the user says about itself. */
export type ShellState = {
  /** It loads completions: bash-completion is active, or compinit has run. */
  isReady: boolean;
  /** The folders in which zsh looks for functions, as far as this user may write there. */
  folders: readonly string[];
};

/** A script, and what has to be in the start file of the shell. */
export type InstallPlace = {
  path: string;
  /** Undefined where there is none of this name for every user of the shell. */
  startFile: string | undefined;
  /** Lines that the start file needs; none where a new shell loads the script by itself. */
  lines: string[];
};

/** Begins each line in which a shell answers about itself. */
export const ANSWER = 'arx-completion:';
/** Shell → what it runs to answer. */
export const QUESTIONS: Readonly<Partial<Record<Shell, string>>> = {
  bash: `printf '\\n%s%s\\n' ${ANSWER} "$(declare -F _comp_load __load_completion _completion_loader | head -n 1)"`,
  zsh: `print -r -- ; print -r -- "${ANSWER}$+functions[compdef]"; print -rl -- "${ANSWER}"$^fpath`,
};

/** Returns the shell of the user; undefined where it is not known or has no completion script. */
export function shellOf({ env, platform }: PlaceInputs): Shell | undefined {
  const file = env['SHELL']?.split(/[/\\]/).at(-1) ?? '';
  const name = file.endsWith('.exe') ? file.slice(0, -'.exe'.length) : file;
  if (name === '') return platform === 'win32' ? 'powershell' : undefined;
  if (name === 'pwsh' || name === 'powershell') return 'powershell';
  return (['bash', 'zsh', 'fish'] as const).find((shell) => shell === name);
}

/** Returns the place of the script of a shell. */
export function installPlace(shell: Shell, inputs: PlaceInputs, state: ShellState): InstallPlace {
  const { env, home, platform } = inputs;
  const folder = (name: string, inHome: string): string => {
    const given = env[name] ?? '';
    return isAbsolute(given) ? given : join(home, inHome);
  };
  const data = folder('XDG_DATA_HOME', '.local/share');
  const config = folder('XDG_CONFIG_HOME', '.config');
  switch (shell) {
    case 'bash': {
      const own = (env['BASH_COMPLETION_USER_DIR'] ?? '').split(':')[0] ?? '';
      const base = isAbsolute(own) ? own : join(data, 'bash-completion');
      const path = join(base, 'completions', 'arx');
      // A terminal of macOS starts login shells.
      const startFile = join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc');
      const line = `[ ! -r ${quoted(path)} ] || . ${quoted(path)}`;
      return { path, startFile, lines: state.isReady ? [] : [line] };
    }
    case 'zsh': {
      const known = state.folders[0];
      const own = known ?? join(data, 'zsh', 'site-functions');
      const compinit = 'autoload -Uz compinit && compinit';
      const added = `fpath=(${quoted(own)} $fpath)`;
      return {
        path: join(own, '_arx'),
        startFile: join(folder('ZDOTDIR', '.'), '.zshrc'),
        lines: known === undefined ? [added, compinit] : state.isReady ? [] : [compinit],
      };
    }
    case 'fish':
      return { path: join(config, 'fish', 'completions', 'arx.fish'), startFile: undefined, lines: [] };
    default: {
      const isWindows = platform === 'win32';
      const path = isWindows
        ? join(folder('LOCALAPPDATA', 'AppData/Local'), 'arx', 'arx-completion.ps1')
        : join(config, 'powershell', 'arx-completion.ps1');
      return {
        path,
        // On Windows the folder of documents may be anywhere; $PROFILE says where.
        startFile: isWindows ? undefined : join(config, 'powershell', 'profile.ps1'),
        lines: [`. '${path.replaceAll("'", "''")}'`],
      };
    }
  }
}

const BEGIN = '# >>> arx completion >>>';
const END = '# <<< arx completion <<<';

/** Returns a start file with these lines in a marked part at its end, in place of an earlier one; without lines, without that part. */
export function withLines(text: string, lines: readonly string[]): string {
  const own = [BEGIN, ...lines, END, ''].join('\n');
  if (lines.length > 0 && text.includes(own)) return text;
  const rest = withoutOwnPart(text);
  if (lines.length === 0) return rest;
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${own}`;
}

function withoutOwnPart(text: string): string {
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END, start);
  if (start === -1 || end === -1) return text;
  return text.slice(0, start) + text.slice(end + END.length).replace(/^\n/, '');
}

/** Returns whether a script was made by arx, so that it may be replaced and removed. */
export function isOurScript(text: string): boolean {
  return /^(#compdef arx\n)?# \w+ completion for arx; generated by: arx completion \w+$/m.test(
    text.slice(0, 200),
  );
}
