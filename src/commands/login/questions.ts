// The questions of `arx login` on a terminal. Nothing is sent while they are asked.
import type { App } from '../../app.ts';
import type { TokenEntry } from '../../config/token-store.ts';
import { InvalidSettingValue, KEYS } from '../../config/setting-keys.ts';
import { nearest } from '../../contract/nearest.ts';
import { TIERS } from '../../contract/tier.ts';
import { Fault } from '../../faults.ts';
import { escapeText } from '../../format/terminal/escape.ts';

/** A question is asked this many times before the command gives up. */
const MAX_TRIES = 3;

/** A question is asked this often, also where its explanation is asked for. */
const MAX_QUESTIONS = 10;

const NAME_HELP = 'any name, such as your user name: the service is told it with the request for a token\n';

const TIERS_HELP =
  '  external  messages and files that anyone may read\n' +
  '  internal  also rows of the tier internal and sequences; may send events\n' +
  '  mirror    everything, also what only the relay may read\n' +
  'rows above your tier are shown as withheld\n';

type Asking = Pick<App, 'world' | 'isRemote'>;

const YES_NO = new Map([
  ['y', 'yes'],
  ['yes', 'yes'],
  ['n', 'no'],
  ['no', 'no'],
]);

/** Asks for the name of this client. `last` is the login that this one replaces. */
export async function askName(app: Asking, last: TokenEntry | undefined): Promise<string> {
  const { USER, LOGNAME, USERNAME } = app.world.env;
  const names = [last?.client_id, USER, LOGNAME, USERNAME];
  const fallback = names.find((name) => name !== undefined && isName(name));
  const prompt = withDefault('name of this client', fallback);
  return ask(app, { prompt, flag: '--client-id', help: NAME_HELP }, (answer) => {
    const name = answer === '' ? fallback : answer;
    if (name === undefined) return again('a name is needed');
    if (YES_NO.has(answer.toLowerCase())) return again(`${answer} is no name; ? explains the question`);
    const read = KEYS.client_id.read(name);
    return read instanceof InvalidSettingValue ? again(`the name ${read.reason}`) : read;
  });
}

/** Asks for a tier, as a number, as a name of the list or, at another service, as any name. */
export async function askTier(app: Asking, last: TokenEntry | undefined): Promise<string> {
  const fallback = last?.observer_tier ?? (app.isRemote ? 'external' : 'internal');
  const list = TIERS.map((tier, index) => `  ${index + 1}  ${tier}\n`).join('');
  const others = app.isRemote ? '; other services may have others' : '';
  await app.world.stderr.write(`tier you look from (? explains them${others}):\n${list}`);
  const prompt = withDefault('number or name', fallback);
  const question = { prompt, flag: '--observer-tier', help: TIERS_HELP };
  return ask(app, question, async (answer) => {
    if (answer === '') return fallback;
    if (!/^\d+$/.test(answer)) return checkedTier(app, answer);
    return TIERS[Number(answer) - 1] ?? again(`the numbers are 1 to ${TIERS.length}`);
  });
}

/** Asks whether a tier that was given as an option is meant as it is typed. */
export async function askGivenTier(app: Asking, tier: string, flag: string): Promise<string> {
  const checked = await checkedTier(app, tier, { isOption: true });
  if (typeof checked === 'string') return checked;
  throw new Fault('usage', `${flag}: ${checked.reason}`, { kept: 'nothing was sent' });
}

/** Asks whether the service is read by all commands that follow. `inUse` is the base URL that they have now. */
export async function askUse(app: Asking, url: string, inUse: string | undefined): Promise<boolean> {
  const instead = inUse === undefined ? '' : ` instead of ${inUse}`;
  return agrees(app, `read ${url}${instead} with every command from now on?`, true).catch(
    (error: unknown) => {
      // The login is done, whatever was answered.
      if (error instanceof Fault && error.kind === 'usage') return false;
      throw error;
    },
  );
}

/** An answer that does not fit. */
type Again = { reason: string };
const again = (reason: string): Again => ({ reason });

/** Returns the known tier that a name was probably meant to be, if it is none itself. */
export function meantTier(typed: string): string | undefined {
  const name = typed.toLowerCase();
  return TIERS.find((tier) => tier.startsWith(name)) ?? nearest(name, TIERS);
}

/** Returns the tier that is meant. An unknown name is sent only where the user confirms it, or gave it as an option. */
async function checkedTier(
  app: Asking,
  typed: string,
  { isOption = false }: { isOption?: boolean } = {},
): Promise<string | Again> {
  const same = TIERS.find((tier) => tier === typed.toLowerCase());
  if (same !== undefined) return same;
  const meant = meantTier(typed);
  if (meant !== undefined && (await agrees(app, `did you mean ${meant}?`, true))) return meant;
  const read = KEYS.observer_tier.read(typed);
  if (read instanceof InvalidSettingValue) return again(`a tier ${read.reason}`);
  if (!app.isRemote) return again(`the local archive has the tiers ${TIERS.join(', ')}`);
  // Another service may have other tiers; this one is known.
  if (isOption || (await agrees(app, `the tier ${escapeText(typed)} is none of these; send it?`, false)))
    return read;
  return again('type one of the numbers or names');
}

/** Asks a question of yes or no; an empty answer is `fallback`. Any other answer is asked again, as by {@link ask}. */
async function agrees(app: Asking, question: string, fallback: boolean): Promise<boolean> {
  const prompt = `${question} ${fallback ? '[Y/n]' : '[y/N]'} `;
  const help = 'y is yes, n is no\n';
  const answer = await ask(app, { prompt, flag: `'${question}'`, help }, (typed) => {
    if (typed === '') return fallback ? 'yes' : 'no';
    return YES_NO.get(typed.toLowerCase()) ?? again('type y for yes or n for no');
  });
  return answer === 'yes';
}

/**
 * Asks until `read` returns a value, {@link MAX_TRIES} times at most; the answer `?` shows `help` and is not counted. Throws Fault 'usage' then, and
 * at the end of the input.
 */
async function ask(
  app: Asking,
  { prompt, flag, help }: { prompt: string; flag: string; help: string },
  read: (answer: string) => string | Again | Promise<string | Again>,
): Promise<string> {
  let why = 'no answer';
  for (let tries = 0, questions = 0; tries < MAX_TRIES && questions < MAX_QUESTIONS; questions += 1) {
    const answer = await line(app, prompt, flag);
    if (answer === '?') {
      await app.world.stderr.write(help);
      continue;
    }
    tries += 1;
    const value = await read(answer);
    if (typeof value === 'string') return value;
    why = value.reason;
    await app.world.stderr.write(`${escapeText(why)}\n`);
  }
  throw new Fault('usage', `${flag}: ${why}`, { kept: 'nothing was sent' });
}

/** Returns the next line that is typed, without spaces at its ends. */
async function line({ world }: Asking, prompt: string, what: string): Promise<string> {
  const answer = await world.stdin.line(prompt, { signal: world.signal });
  if (answer === undefined)
    throw new Fault('usage', `${what}: no answer, the input ended`, { kept: 'nothing was sent' });
  return answer.trim();
}

function withDefault(what: string, fallback: string | undefined): string {
  return fallback === undefined ? `${what}: ` : `${what} [${escapeText(fallback)}]: `;
}

function isName(text: string): boolean {
  return !(KEYS.client_id.read(text) instanceof InvalidSettingValue);
}
