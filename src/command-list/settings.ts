// Commands for settings and profiles.
import { SETTING_KEYS } from '../config/setting-keys.ts';
import type { CommandSpec } from './command-spec.ts';
import { CONFIRM_OPTIONS } from './shared-options.ts';

/** Names, arguments, options and examples of the commands for settings and profiles. */
export const SETTINGS_COMMANDS = [
  {
    words: 'config get',
    summary: 'show a setting',
    effect: 'none',
    arguments: [['<key>', 'setting, e.g. base_url', SETTING_KEYS]],
    examples: ['arx config get base_url'],
  },
  {
    words: 'config set',
    summary: 'change a setting',
    effect: 'change',
    arguments: [
      ['<key>', 'setting, e.g. base_url', SETTING_KEYS],
      ['<value>', 'new value'],
    ],
    examples: ['arx config set base_url https://archive.example'],
    lenient: true,
    topics: ['environment'],
  },
  {
    words: 'config unset',
    summary: 'remove a setting',
    effect: 'change',
    arguments: [['<key>', 'setting, e.g. base_url', SETTING_KEYS]],
    examples: ['arx config unset base_url'],
    lenient: true,
  },
  {
    words: 'config ls',
    summary: 'list all settings with the source of each value',
    effect: 'none',
    examples: ['arx config ls'],
    topics: ['environment'],
  },
  {
    words: 'config path',
    summary: 'show the folders of settings, tokens and the local archive',
    effect: 'none',
    examples: ['arx config path'],
    lenient: true,
  },
  {
    words: 'profile ls',
    summary: 'list profiles',
    effect: 'none',
    examples: ['arx profile ls'],
    topics: ['environment'],
  },
  {
    words: 'profile use',
    summary: 'make a profile the default',
    effect: 'change',
    arguments: [['<name>', 'name of the profile']],
    examples: ['arx profile use work'],
    lenient: true,
  },
  {
    words: 'profile rm',
    summary: 'delete a profile with its settings and tokens',
    effect: 'change',
    arguments: [['<name>', 'name of the profile']],
    options: CONFIRM_OPTIONS,
    examples: ['arx profile rm work --dry-run', 'arx profile rm work --yes'],
    topics: ['environment'],
  },
] as const satisfies readonly CommandSpec[];
