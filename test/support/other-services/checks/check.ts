// What a check of one command is: it runs the command against another service and compares the output with the records of it.
import { existsSync } from 'node:fs';
import { arx, recordsOf, type Ran } from '../../command.ts';
import type { FakeWorldOptions } from '../../fake-world.ts';
import { tokenFor } from '../other-routes.ts';
import type { OtherService } from '../service.ts';
import type { ListName, Variant } from '../variant.ts';

/** One run: a service, a folder of its own, and what the service truly has. */
export type Context = {
  service: OtherService;
  variant: Variant;
  dir: string;
  /** Runs `arx` with the address of the service and a token. */
  arx(line: string, options?: FakeWorldOptions & { token?: string | undefined }): Promise<Ran>;
  truth: Truth;
};

/** Ids as the service writes them, in its own order. */
export type Truth = { threads: string[]; letters: string[]; files: string[] };

/** A check of one command. */
export type Check = {
  /** The words of the commands that it runs. */
  commands: readonly string[];
  /** What is done with it, unique among all checks. */
  name: string;
  /** Throws an error of one short line where the command is wrong. */
  run(context: Context): Promise<void>;
};

/** A token for all scopes of the internal tier. */
export const TOKEN = tokenFor(['read:messages', 'read:attachments', 'read:sequence']);

/** Returns the context of a run in this folder. */
export function contextOf(service: OtherService, dir: string): Context {
  const { archive, variant, url } = service;
  const { idOf } = variant.records;
  const turned = <Row>(rows: Row[]): Row[] => (variant.order === 'newest first' ? rows.toReversed() : rows);
  // Nobody waits longer for an answer that never comes.
  const patience = variant.messages === 'never answers' ? '--timeout 1 --retries 1 ' : '';
  return {
    service,
    variant,
    dir,
    async arx(line, { token = TOKEN, env, ...options } = {}) {
      const ran = await arx(dir, `--base-url ${url} ${patience}${line}`, {
        ...options,
        env: { LANG: 'C.UTF-8', ...(token === '' ? {} : { ARX_TOKEN: token }), ...env },
      });
      mustSayOnce(ran, line);
      return ran;
    },
    truth: {
      threads: turned(archive.threads).map(idOf),
      letters: turned(archive.letters).map(({ id }) => id),
      files: archive.files.map(idOf),
    },
  };
}

/** Throws an error with this text unless the condition holds. */
export function must(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Error(text);
}

/** Throws where a run says a thing twice, or shows the token. */
function mustSayOnce({ stdout, stderr }: Ran, line: string): void {
  const said = stderr.split('\n').filter((one) => one !== '');
  const again = said.find((one, at) => said.indexOf(one) < at);
  must(again === undefined || line.includes('-v '), `said twice: ${again}`);
  must(line === 'token' || !(stdout + stderr).includes(TOKEN), 'the token is shown');
}

/** Returns the error of a run in one short line. */
export function saidBy({ exit, stderr }: Ran): string {
  const line = stderr.split('\n').find((one) => /\[\w+, exit \d+\]/.test(one)) ?? stderr.split('\n')[0] ?? '';
  return `exit ${exit}: ${line.replace(/^arx: /, '').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')}`;
}

/** Throws unless the run ended with 0. */
export function mustSucceed(ran: Ran): void {
  must(ran.exit === 0, saidBy(ran));
}

/** Throws unless the run ended with one of these codes and says why. */
export function mustRefuse(ran: Ran, exits: readonly number[], reason: RegExp = /\w/): void {
  must(exits.includes(ran.exit), `not refused with ${exits.join(' or ')}: ${saidBy(ran)}`);
  must(reason.test(ran.stderr), `the reason is not ${reason}: ${saidBy(ran)}`);
  must(!/unexpected error/.test(ran.stderr), saidBy(ran));
}

/** Throws unless both lists are equal. */
export function mustEqual(actual: readonly string[], expected: readonly string[], what: string): void {
  if (actual.length === expected.length && actual.every((one, at) => one === expected[at])) return;
  const known = new Set(expected);
  const strange = actual.filter((one) => !known.has(one)).length;
  const shown = new Set(actual);
  const missing = expected.filter((one) => !shown.has(one)).length;
  const details = [
    ...(missing > 0 ? [`${missing} missing`] : []),
    ...(strange > 0 ? [`${strange} that do not belong`] : []),
    ...(missing + strange === 0 ? ['in another order or twice'] : []),
  ];
  throw new Error(`${what}: ${actual.length} for ${expected.length}, ${details.join(', ')}`);
}

/** Returns the ids of ndjson rows. Each row must have one. `field`: where the service has it. */
export function idsOf(ran: Ran, field = 'id'): string[] {
  return recordsOf(ran).map((row) => {
    const id: unknown = row[field] ?? row['entry'] ?? row['id'];
    must(typeof id === 'string', `a row without an id: ${JSON.stringify(row)}`);
    return id;
  });
}

/**
 * Throws unless the run printed exactly these rows with exit 0. Where `mayRefuse`, it may also end with one of those codes
 * after rows that are all true and in their order.
 */
export function mustList(
  ran: Ran,
  expected: readonly string[],
  mayRefuse: readonly number[] = [],
  field = 'id',
): void {
  if (ran.exit !== 0 && mayRefuse.includes(ran.exit)) {
    mustRefuse(ran, mayRefuse);
    const shown = idsOf(ran, field);
    const places = shown.map((id) => expected.indexOf(id));
    must(
      places.every((place, at) => place >= 0 && (at === 0 || place > places[at - 1]!)),
      `${saidBy(ran)}, and untrue rows`,
    );
    return;
  }
  mustSucceed(ran);
  mustEqual(idsOf(ran, field), expected, 'rows');
}

/** Exit codes with which a list may be refused that this service does not let anybody read to its end. */
export function refusalsOf(
  { cursors, cursorless, faults, whole, envelope }: Variant,
  list: ListName = 'conversations',
): readonly number[] {
  if (faults.drift > 0) return [8];
  if (faults.rough > 0) return [8, 9, 10];
  if (cursors.opaque) return [3, 8, 11];
  if (cursorless.includes(list)) return [3];
  // A list that no answer calls whole.
  const empty = envelope({ resource: '', rows: [], idField: '', more: false, total: 0, head: {} });
  return whole && Array.isArray(empty) ? [3] : [];
}

/** Throws unless the file is in the folder of the run. */
export function mustExist(path: string): void {
  must(existsSync(path), `no file ${path.replace(/.*\//, '')}`);
}
