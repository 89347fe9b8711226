// How a terminal shows pictures, by its environment.
import { expect, test } from 'vitest';
import { cellColors, pictureProtocol } from '../../../src/format/picture/picture-protocol.ts';

test.each<[string, Record<string, string>]>([
  ['kitty', { TERM: 'xterm-kitty' }],
  ['kitty', { TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }],
  ['kitty', { TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty' }],
  ['iterm2', { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }],
  ['iterm2', { TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }],
  ['iterm2', { TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }],
  ['cells', { TERM: 'tmux-256color', KITTY_WINDOW_ID: '1', LC_TERMINAL: 'iTerm2' }],
  ['cells', { TERM: 'xterm-256color', TMUX: '/tmp/x', TERM_PROGRAM: 'WezTerm' }],
  ['sixel', { TERM: 'foot' }],
  ['sixel', { TERM: 'mlterm-256color' }],
  ['sixel', { TERM: 'xterm-256color', ARX_PICTURES: 'sixel' }],
  ['sixel', { TERM: 'tmux-256color', TMUX: '/tmp/x', ARX_PICTURES: 'sixel' }],
  ['cells', { TERM: 'xterm-kitty', ARX_PICTURES: 'cells' }],
  ['cells', { TERM: 'xterm-256color', ARX_PICTURES: 'other' }],
  ['cells', { TERM: 'xterm-256color' }],
  ['cells', {}],
])('%s: %j', (protocol, env) => {
  expect(pictureProtocol(env)).toBe(protocol);
});

test.each<[string, boolean, Record<string, string>]>([
  ['none', false, { COLORTERM: 'truecolor' }],
  ['truecolor', true, { COLORTERM: '24bit' }],
  ['truecolor', true, { TERM: 'foot' }],
  ['256', true, { TERM: 'xterm-256color' }],
])('colours %s', (colors, color, env) => {
  expect(cellColors(env, { color })).toBe(colors);
});
