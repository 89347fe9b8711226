// Commands that run in the background: verifying, downloading, opening. They are the same commands that a user would type.
import { isPullable } from '../contract/attachment-file.ts';
import type { Attachment } from '../contract/attachment.ts';
import { EXIT } from '../exit.ts';
import { shellLine } from '../shell-words.ts';
import { said, withNotice } from './notices.ts';
import { operands } from './place.ts';
import { reasonText } from './views/file-state.ts';
import {
  chosenEntry,
  shownScreen,
  type Check,
  type Event,
  type Notice,
  type Job,
  type State,
  type Step,
} from './state.ts';

/** The folder of downloads where none is typed. */
export const DEFAULT_FOLDER = 'files';

/** Compares the bytes of the chosen file with its hash. */
export function verified(state: State): Step {
  const file = chosenFile(state);
  if (file === undefined) return noFile(state, 'v verifies a file');
  if (!isPullable(file)) return said(state, `${file.id} cannot be verified: ${reasonText(file)}`);
  if (state.checks.get(file.id)?.state === 'checking') return { state, effects: [] };
  return started(state, {
    kind: 'verify',
    words: ['attachments', 'cat', ...operands([file.id])],
    ids: [file.id],
  });
}

/** Says that no file is chosen. `what`: what the key does. */
export function noFile(state: State, what: string): Step {
  const isHere = shownScreen(state).place.kind === 'files';
  return said(state, isHere ? 'there is no file here' : `${what}: choose one in a list of files (f)`);
}

/** Opens what is chosen in the default program. */
export function opened(state: State): Step {
  const { place } = shownScreen(state);
  const entry = chosenEntry(shownScreen(state));
  const hasId = entry?.kind === 'conversation' || entry?.kind === 'message' || entry?.kind === 'file';
  const id = hasId ? entry.id : 'id' in place ? place.id : undefined;
  if (id === undefined) return said(state, 'o opens a file, a message or a conversation');
  return started(state, { kind: 'open', words: ['open', ...operands([id])], ids: [] });
}

/** Starts a command. */
export function started(state: State, job: Job): Step {
  const number = state.nextNumber;
  const checks = new Map(state.checks);
  if (job.kind === 'verify') for (const id of job.ids) checks.set(id, { state: 'checking' });
  const next: State = {
    ...state,
    nextNumber: number + 1,
    checks,
    jobs: new Map([...state.jobs, [number, job]]),
    notice: { text: startText(job), style: 'dim' },
  };
  const hasReport = job.kind === 'pull';
  return { state: next, effects: [{ kind: 'run', job: number, words: job.words, hasReport }] };
}

function startText({ words }: Job): string {
  return `arx ${shellLine(words)} …`;
}

/** Returns the state in which it is known how far a command is. That takes the place of the notice of its start. */
export function jobProgress(
  state: State,
  { job: number, progress }: Extract<Event, { kind: 'jobProgress' }>,
): Step {
  const job = state.jobs.get(number);
  // While it waits for an answer nothing is counted.
  if (job === undefined || progress.done === null) return { state, effects: [] };
  const jobs = new Map(state.jobs).set(number, { ...job, progress });
  const notice = state.notice?.text === startText(job) ? undefined : state.notice;
  return { state: { ...state, jobs, notice }, effects: [] };
}

/** Returns the state after a command ended. */
export function ended(
  state: State,
  { job: number, exit, output, kept = [] }: Extract<Event, { kind: 'ended' }>,
): Step {
  const job = state.jobs.get(number);
  if (job === undefined) return { state, effects: [] };
  const jobs = new Map(state.jobs);
  jobs.delete(number);
  const checks = new Map(state.checks);
  const isDone = exit === 0;
  const why = mainLine(output);
  // What was downloaded comes first: the line may be cut.
  const saved = job.kind === 'pull' && !isDone ? savedText(output) : undefined;
  const text = saved === undefined ? why : `${saved}; ${why}`;
  const check: Check = isDone ? { state: 'verified' } : { state: 'failed', text };
  if (job.kind === 'verify') for (const id of job.ids) checks.set(id, check);
  // Why a download failed may have other causes than its bytes.
  for (const id of kept) checks.set(id, { state: 'verified' });
  const command = `arx ${shellLine(job.words)}`;
  const notice: Notice = {
    text: isDone ? doneText(job) : `${text === '' ? `exit ${exit}` : text}: ${command}`,
    style: isDone ? 'good' : exit === EXIT.partial ? 'warn' : 'bad',
    // A verification prints only the bytes.
    result: { words: job.words, exit, output: isDone && output === '' ? doneText(job) : output },
  };
  // The list shows that a file was verified; anything else may have more to tell than one line.
  const isToldByRow = isDone && job.kind !== 'pull';
  const unread = state.unread + (isToldByRow ? 0 : 1);
  return { state: { ...withNotice(state, notice), jobs, checks, unread }, effects: [] };
}

/** Returns the line of an output that says why a command failed, else its first one. */
function mainLine(output: string): string {
  const lines = output.trim().split('\n');
  const line = lines.find((each) => /\[[a-z_]+, exit \d+\]$/.test(each)) ?? lines[0]!;
  return line.trim().replace(/^arx: /, '');
}

/** What follows the number of files and their folder in the report of a download. */
const CHECK_LATER = '; check later: ';

/** Returns what the report of a download says about the files that are there: `45 files are in got`. */
function savedText(output: string): string | undefined {
  const line = output.split('\n').find((each) => each.includes(CHECK_LATER));
  return line?.slice(0, line.indexOf(CHECK_LATER)).replace(/^arx: /, '');
}

function doneText({ kind, words, ids }: Job): string {
  if (kind === 'verify') return `${ids[0]} verified: its bytes have the SHA-256 of the catalogue`;
  return `done: arx ${shellLine(words)}`;
}

/** Returns the row of the file that is chosen, or that the screen shows. */
export function chosenFile(state: State): Attachment | undefined {
  const screen = shownScreen(state);
  const entry = chosenEntry(screen);
  if (entry?.kind === 'file') return entry.row;
  return screen.document?.kind === 'file' ? screen.document.row : undefined;
}
