import { expect, test } from 'vitest';
import { terminalCapabilities } from '../../../src/format/terminal/capabilities.ts';
import { fakeSink } from '../fake-sink.ts';

const terminal = fakeSink({ isTTY: true, columns: 90 });
const pipe = fakeSink();

test.each([
  ['a terminal', terminal, {}, undefined, true],
  ['a pipe', pipe, {}, undefined, false],
  ['F7 NO_COLOR', terminal, { NO_COLOR: '1' }, undefined, false],
  ['an empty NO_COLOR says nothing', terminal, { NO_COLOR: '' }, undefined, true],
  ['FORCE_COLOR in a pipe', pipe, { FORCE_COLOR: '1' }, undefined, true],
  ['FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, undefined, false],
  ['NO_COLOR before FORCE_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, undefined, false],
  ['F7 TERM=dumb', terminal, { TERM: 'dumb' }, undefined, false],
  ['--no-color before FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, false, false],
])('colour: %s', (_, sink, env, color, expected) => {
  expect(terminalCapabilities(sink, env, { color }).color).toBe(expected);
});

test.each([
  [terminal, {}, 90],
  [fakeSink({ isTTY: true, columns: 0 }), {}, 80],
  [fakeSink({ isTTY: true, columns: 1 }), {}, 1],
  [fakeSink({ isTTY: true }), {}, 80],
  [pipe, {}, undefined],
  [pipe, { COLUMNS: '60' }, 60],
  [pipe, { COLUMNS: '-6' }, undefined],
])('columns of a sink %#', (sink, env, columns) =>
  expect(terminalCapabilities(sink, env).columns).toBe(columns),
);

test.each([
  [{ LANG: 'C.UTF-8' }, true],
  [{ LANG: 'de_DE.utf8' }, true],
  [{ LANG: 'C' }, false],
  [{ LC_ALL: 'C', LANG: 'C.UTF-8' }, false],
  [{ TERM: 'dumb', LANG: 'C.UTF-8' }, false],
  [{}, true],
])('L7b unicode in %j', (env, unicode) => expect(terminalCapabilities(terminal, env).unicode).toBe(unicode));

test('animation on a real terminal only', () => {
  expect(terminalCapabilities(terminal, {}).animation).toBe(true);
  expect(terminalCapabilities(terminal, { TERM: 'dumb' }).animation).toBe(false);
  expect(terminalCapabilities(pipe, { FORCE_COLOR: '1' }).animation).toBe(false);
});
