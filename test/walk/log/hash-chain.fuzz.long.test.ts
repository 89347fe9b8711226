// Fuzzing of frozen logs: a damaged log yields rows that were frozen, from the first one on, or none.
import { test } from 'vitest';
import type * as z from 'zod';
import {
  FrozenWalkCompletion,
  FrozenWalkSubject,
  FrozenWalkUnresolved,
} from '../../../src/contract/frozen-log.ts';
import { Fault } from '../../../src/faults.ts';
import { parseJsonLines } from '../../../src/walk/log/ndjson-file.ts';
import { FIRST_PREVIOUS, freezeWindow } from '../../../src/walk/log/window.ts';
import { readWindows, type LogFile } from '../../../src/walk/log/hash-chain.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { textChanges } from '../../support/fuzz-inputs.ts';

/** Both files of a log, as Latin-1. */
type Log = { windows: string; rows: string };

/** Returns the log of a walk. A row is an id. */
function frozen(pages: readonly (readonly string[])[]): Log {
  const log: Log = { windows: '', rows: '' };
  let head = FIRST_PREVIOUS;
  let last: string | null = null;
  for (const [index, ids] of pages.entries()) {
    const rows = ids.map((id) => ({ id, subject: `about ${id}` }));
    const window = freezeWindow(
      index + 1,
      last,
      rows,
      { reads: 2, disagreements: 0, drift_ratio: null },
      head,
    );
    log.windows += `${window.line}\n`;
    log.rows += window.rowsText;
    head = window.head;
    last = ids.at(-1)!;
  }
  return { windows: latin1(log.windows), rows: latin1(log.rows) };
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const LOGS = [
  frozen([['a', 'b'], ['c'], ['d', 'e']]),
  frozen([['a'], ['ä', 'b']]),
  frozen([['x', 'y', 'z']]),
  frozen([]),
];
const TOKENS = [
  '{',
  '}',
  '"ids":',
  '["a"]',
  '"rows_bytes":',
  '"window":',
  '"previous":',
  '"after":null',
  FIRST_PREVIOUS,
  '{"id":"a"}\n',
  '{"id":"b","subject":"about b"}\n',
  '\r\n',
  ' ',
];
const changedWindows = textChanges({
  corpus: LOGS.map(({ windows }) => windows),
  tokens: TOKENS,
  maxBytes: 3_000,
});
const changedRows = textChanges({ corpus: LOGS.map(({ rows }) => rows), tokens: TOKENS, maxBytes: 3_000 });

function fileOf(text: string): LogFile {
  const bytes = Buffer.from(text, 'latin1');
  const read = async (into: Buffer, at: number, length: number, position: number) => ({
    bytesRead: bytes.copy(into, at, position, position + length),
    buffer: into,
  });
  return { read, stat: async () => ({ size: bytes.length }) } as unknown as LogFile;
}

test('a changed log yields no row that was not frozen', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make(draw) {
      const { windows, rows } = draw.of(LOGS);
      const which = draw.below(3);
      return {
        windows: which === 0 ? windows : changedWindows(windows, draw),
        rows: which === 1 ? rows : changedRows(rows, draw),
      };
    },
    async check({ windows, rows }) {
      let seen = '';
      const chain = await readWindows(fileOf(windows), fileOf(rows), (_, lines) => {
        seen += lines.map(({ text }) => `${text}\n`).join('');
      });
      const shown = latin1(seen);
      if (!LOGS.some((log) => log.rows.startsWith(shown))) throw new Error(`yields ${seen}`);
      if (!rows.startsWith(shown) || shown.length !== chain.rowsBytes)
        throw new Error(`${chain.rowsBytes} bytes of rows are valid`);
      // What is left behind the valid part is named: as damage, or as torn.
      const isWhole = chain.windowsBytes === windows.length && chain.rowsBytes === rows.length;
      if (isWhole === (chain.torn || chain.problems.length > 0))
        throw new Error(isWhole ? 'a whole log has problems' : 'the rest is not named');
      if (chain.ids.length !== shown.split('\n').length - 1) throw new Error(`${chain.ids.length} ids`);
      for (const { what } of chain.problems)
        if (!/^window \d+ [ -~]{5,200}$/.test(what)) throw new Error(`problem ${JSON.stringify(what)}`);
    },
    show: (input) => JSON.stringify(input),
  }),
);

const SMALL_FILES: readonly (readonly [schema: z.ZodType, line: string])[] = [
  [
    FrozenWalkSubject,
    '{"after":null,"base_url":"https://archive.test","before":"conv_9","list":"conversations","version":1}\n',
  ],
  [
    FrozenWalkCompletion,
    `{"head":"${FIRST_PREVIOUS}","finished_at":"2026-01-02T03:04:05.678Z","late":["conv_1"]}\n{"head":null,"finished_at":"2026-01-02T03:04:05.678Z","late":[]}\n`,
  ],
  [FrozenWalkUnresolved, '{"unplaced":["conv_1"],"late":["conv_2"]}\n{"unplaced":[],"late":[]}\n'],
];
const changedLines = textChanges({
  corpus: SMALL_FILES.map(([, line]) => line),
  tokens: [...TOKENS, '"version":2', '"late":[', '"head":', ']'],
  maxBytes: 1_000,
});

test('the small files beside a log are read, or are damaged', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make(draw) {
      const [schema, line] = draw.of(SMALL_FILES);
      return { schema, text: changedLines(line, draw) };
    },
    check({ schema, text }) {
      try {
        const values = parseJsonLines(Buffer.from(text, 'latin1'), 'file', schema);
        if (values.length > text.split('\n').length - 1) throw new Error(`${values.length} values`);
        const written = values.map((value) => `${JSON.stringify(value)}\n`).join('');
        const again = parseJsonLines(Buffer.from(written), 'file', schema);
        if (JSON.stringify(again) !== JSON.stringify(values))
          throw new Error('are other values when they are written again');
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'integrity') throw error;
      }
    },
    show: ({ text }) => JSON.stringify(text),
  }),
);
