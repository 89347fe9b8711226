// The stream between the printer and stdout with `--jq`: JSON goes in, the results of the jq program come out.
import type { Worker } from 'node:worker_threads';
import { Fault } from '../faults.ts';
import type { Sink, World } from '../world.ts';
import { suggestField } from './field-suggestion.ts';
import { formFault } from './form-fault.ts';
import { createJqRunner, type JqRun } from './jq-runner.ts';
import { escapeBlock, escapeJson } from './terminal/escape.ts';

/** A longer document would not fit into the memory of jq. */
const MAX_DOCUMENT_LENGTH = 32 * 1024 * 1024;
/** Memory that the process may grow by while jq runs: the results are kept outside of the memory of jq until it ends. */
const MAX_GROWTH_BYTES = 1_000_000_000;
const CHECK_INTERVAL_MS = 50;

type Options = {
  program: string;
  /** The program gets each record of ndjson, not the whole document. */
  isPerRecord: boolean;
  world: Pick<World, 'stdout' | 'thread' | 'signal' | 'every' | 'usage'>;
  /** Is told at the end where the program names a field that no record has, so that it gave nothing but null. */
  onUnknownField?(text: string): void;
};

/** A stream to print JSON to. */
export type JqSink = {
  sink: Sink;
  /** The fields that the program may name: every word of it, such as in `.id`, `{id}` and `.["id"]`. */
  names: ReadonlySet<string>;
  /** Runs the program over what is left. Throws Fault 'usage' with the message of jq where it failed for some input. */
  finish(): Promise<void>;
  /** Ends its thread. */
  end(): Promise<void>;
};

/** Returns the stream. Throws Fault 'usage' with the message of jq where the program does not compile. */
export async function openJqSink({ program, isPerRecord, world, onUnknownField }: Options): Promise<JqSink> {
  const { stdout } = world;
  const jq = startJq(program, world);
  const decoder = new TextDecoder();
  let held = '';
  let failure: string | undefined;
  let isTooLong = false;
  const fields = fieldsOfPath(program);
  const seen = new Set<string>();
  let isNull: boolean | undefined;
  const filter = async (json: string): Promise<void> => {
    const { stdout: results, stderr, exitCode } = await jq.run(json);
    if (/^jq: error/m.test(stderr)) failure ??= stderr;
    else if (exitCode !== 0) failure ??= `jq: error: the program halted with exit code ${exitCode}`;
    if (fields.length > 0 && json.trim() !== '' && isNull !== false) {
      // An empty list gives nothing, whatever its rows would have.
      isNull = results === '' ? !json.includes('[]') : /^null(?:\nnull)*\n?$/.test(results);
      if (isNull) addKeys(json, seen);
    }
    if (results !== '') await stdout.write(shown(results, stdout.isTTY));
  };
  try {
    await filter('');
    if (failure !== undefined) throw jqFault(failure);
  } catch (error) {
    await jq.end();
    throw error;
  }
  const names = new Set(program.match(/[A-Za-z_]\w*/g));
  return {
    names,
    sink: {
      isTTY: false,
      columns: undefined,
      async write(chunk) {
        held += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
        if (isPerRecord) {
          const end = held.lastIndexOf('\n') + 1;
          const lines = held.slice(0, end);
          held = held.slice(end);
          if (lines !== '') await filter(lines);
        } else if (held.length > MAX_DOCUMENT_LENGTH) {
          isTooLong = true;
          held = '';
        }
      },
    },
    async finish() {
      if (isTooLong)
        throw new Fault('usage', '--jq: the document is longer than 32 MiB', {
          hint: 'use -o ndjson: the program then gets one record after the other',
        });
      const rest = held;
      held = '';
      if (rest.trim() !== '') await filter(rest);
      const isWholeList = /^\{"status":"[a-z]+","data":\[/.test(rest) && !names.has('data');
      if (failure !== undefined) throw jqFault(failure, isWholeList ? LIST_HINT : undefined);
      const unknown = isNull === true ? fields.find((name) => !seen.has(name)) : undefined;
      if (unknown !== undefined) onUnknownField?.(unknownText(unknown, [...seen]));
    },
    end: jq.end,
  };
}

/** Returns the fields of a program that is only a path such as `.data[].filename` or `.data[] | .filename`; none of any other. */
function fieldsOfPath(program: string): string[] {
  const paths = program.split('|').map((path) => path.trim());
  const isPath = paths.every((path) => /^(?:\.[A-Za-z_]\w*\??|\.?\[\d*\]\??)+$/.test(path));
  return isPath ? (program.match(/[A-Za-z_]\w*/g) ?? []) : [];
}

const MAX_KEYS_SHOWN = 10;

function unknownText(name: string, keys: readonly string[]): string {
  const meant = suggestField(name, keys);
  const shown = keys.slice(0, MAX_KEYS_SHOWN).join(', ');
  const others = `it has ${shown}${keys.length > MAX_KEYS_SHOWN ? ', …' : ''}`;
  return `--jq: nothing here has the field ${name}; ${meant === undefined ? others : `did you mean .${meant}?`}`;
}

const MAX_KEYS = 1000;

/** Adds the keys of JSON. */
function addKeys(json: string, keys: Set<string>): void {
  for (const [, key = ''] of json.matchAll(/"([A-Za-z_]\w{0,60})":/g)) {
    if (keys.size >= MAX_KEYS) return;
    keys.add(key);
  }
}

/** For a list, whose document jq programs for an array of records fail on. */
const LIST_HINT =
  'the records of a list are in .data[]; with -o ndjson the program gets one after the other; arx help output';

function jqFault(message: string, hint?: string): Fault {
  const [first = '', ...rest] = message
    .split('\n')
    .map((line) => line.replace(/^jq: error:? ?(?:\(at \/dev\/stdin:\d+\): )?/, '').trimEnd());
  const where = rest.find((line) => line.trim() !== '' && !line.startsWith('jq: '));
  return formFault(`--jq: ${first}${where === undefined ? '' : ` ${where.trim()}`}`, hint);
}

/** Returns the results as text: strings as they are, everything else as JSON, as `jq -r` does. */
function shown(results: string, isTTY: boolean): string {
  return results
    .split('\n')
    .map((line) => {
      if (!line.startsWith('"')) return `${isTTY ? escapeJson(line) : line}\n`;
      const text = JSON.parse(line) as string;
      return `${isTTY ? escapeBlock(text) : text}\n`;
    })
    .join('');
}

type Jq = { run(json: string): Promise<JqRun>; end(): Promise<void> };

/** Starts jq in a thread, since nothing else can interrupt a program without end; in this one where there are no threads. */
function startJq(program: string, { thread, signal, every, usage }: Options['world']): Jq {
  const worker: Worker | undefined = thread?.('jq-worker', { program });
  if (worker === undefined) return { run: createJqRunner({ program }), end: async () => {} };
  let tooLarge: Fault | undefined;
  return {
    run: async (json) => {
      if (tooLarge !== undefined) throw tooLarge;
      const before = usage().rss;
      let stopChecking = (): void => {};
      const result = new Promise<JqRun>((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason as Error);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        stopChecking = every(CHECK_INTERVAL_MS, () => {
          if (usage().rss - before <= MAX_GROWTH_BYTES) return;
          tooLarge = formFault('--jq: the results need more memory than 1 GB');
          reject(tooLarge);
          void worker.terminate();
        });
        const onExit = (): void => reject(new Error('the thread of jq ended early'));
        worker.once('error', reject);
        worker.once('exit', onExit);
        worker.once('message', (ran: JqRun) => {
          signal.removeEventListener('abort', onAbort);
          worker.removeListener('error', reject);
          worker.removeListener('exit', onExit);
          resolve(ran);
        });
        worker.postMessage(json);
      });
      return result.finally(() => stopChecking());
    },
    end: async () => void (await worker.terminate()),
  };
}
