// Commands for settings and profiles.
import { SETTING_KEYS } from '../config/keys.ts';
import type { CommandSpec } from './command-spec.ts';

export const SETTINGS_COMMANDS = [
  {
    words: 'config get',
    summary: 'one setting',
    arguments: [['<key>', 'setting, e.g. base_url', SETTING_KEYS]],
    examples: ['arx config get base_url'],
  },
  {
    words: 'config set',
    summary: 'keep a setting',
    arguments: [
      ['<key>', 'setting, e.g. base_url', SETTING_KEYS],
      ['<value>', 'its value'],
    ],
    examples: ['arx config set base_url https://archive.example'],
    lenient: true,
  },
  {
    words: 'config unset',
    summary: 'forget a setting',
    arguments: [['<key>', 'setting, e.g. base_url', SETTING_KEYS]],
    examples: ['arx config unset base_url'],
    lenient: true,
  },
  {
    words: 'config list',
    summary: 'all settings, with where each value came from',
    examples: ['arx config list'],
  },
  {
    words: 'config path',
    summary: 'where settings, tokens and the local archive are kept',
    examples: ['arx config path'],
    lenient: true,
  },
  {
    words: 'profile ls',
    summary: 'the profiles',
    examples: ['arx profile ls'],
  },
  {
    words: 'profile use',
    summary: 'make a profile the default',
    arguments: [['<name>', 'profile']],
    examples: ['arx profile use work'],
  },
] as const satisfies readonly CommandSpec[];
