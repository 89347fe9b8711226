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
  ['--color always in a pipe', pipe, { NO_COLOR: '1', TERM: 'dumb' }, true, true],
  ['CLICOLOR_FORCE in a pipe', pipe, { CLICOLOR_FORCE: '1' }, undefined, true],
  ['CLICOLOR_FORCE=0', pipe, { CLICOLOR_FORCE: '0' }, undefined, false],
  ['NO_COLOR before CLICOLOR_FORCE', terminal, { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, undefined, false],
  ['CLICOLOR=0', terminal, { CLICOLOR: '0' }, undefined, false],
  ['CLICOLOR=1 in a pipe', pipe, { CLICOLOR: '1' }, undefined, false],
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

test.each([
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '6800' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '5000' }, false],
  [{ TERM: 'xterm-256color', WT_SESSION: 'x' }, true],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.4.10' }, true],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '2.9' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '440' }, false],
  [{ TERM: 'screen-256color', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.4' }, true],
  [{ TERM: 'screen-256color', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.3a' }, false],
  [{ TERM: 'screen.xterm-256color', VTE_VERSION: '6800' }, false],
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'dumb', VTE_VERSION: '6800' }, false],
  [{ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }, false],
  [{ TERM: 'xterm', FORCE_HYPERLINK: '1' }, true],
])('links in %j', (env, links) => {
  expect(terminalCapabilities(terminal, env).links).toBe(links);
  expect(terminalCapabilities(pipe, env).links).toBe(false);
});

test('animation on a real terminal only', () => {
  expect(terminalCapabilities(terminal, {}).animation).toBe(true);
  expect(terminalCapabilities(terminal, { TERM: 'dumb' }).animation).toBe(false);
  expect(terminalCapabilities(pipe, { FORCE_COLOR: '1' }).animation).toBe(false);
});
