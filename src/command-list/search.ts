// The command that finds messages by their words.
import { PAGE_LIMIT } from '../contract/scalars.ts';
import { SEARCH_FACETS, SEARCH_SORTS } from '../contract/search/parameters.ts';
import type { CommandSpec } from './command-spec.ts';

/** Name, arguments, options and examples of `search`. */
export const SEARCH_COMMANDS = [
  {
    words: 'search',
    summary: 'find messages by words, senders, dates and files',
    effect: 'none',
    arguments: [['[query...]', 'words, "a phrase", word*, OR, -word, from:… file:… on:…']],
    options: [
      ['--from <words>', 'only messages whose sender has these words'],
      ['--subject <words>', 'only messages whose subject has these words'],
      ['--city <city>', 'only messages with a file of this city'],
      ['--type <type>', 'only messages with a file of this type, e.g. image/*'],
      ['--channel <name>', 'only messages of this channel of a chat'],
      ['--source <source>', 'only messages of this source: gateway, external or local'],
      ['--since <date>', 'only messages from this date on, e.g. 2021, 2021-03-04, 3m'],
      ['--before <date>', 'only messages before this date; the lists call it --until'],
      ['--on <date>', 'only messages of this day, month or year, e.g. 2021-03'],
      ['--conversation <id>', 'only messages of this conversation'],
      ['--sort <order>', 'order of the messages (default: relevance)', [...SEARCH_SORTS]],
      [
        '--limit <count>',
        `rows of one page, or values of --facet, ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum} (default: ${PAGE_LIMIT.default})`,
      ],
      ['--after <id>', 'continue after this message of the same search'],
      ['--all', 'every message that matches'],
      ['--no-snippets', 'without the text that matches: much faster for many messages'],
      ['--count', 'only the number of messages'],
      ['--facet <field>', 'count the messages by this field, in place of listing them', [...SEARCH_FACETS]],
    ],
    examples: [
      `arx search '"use after free" since:2021 -from:bot'`,
      'arx search invoice --city london --type application/pdf --sort newest',
      'arx search regression --facet year',
      'arx search --source gateway --facet from --limit 100',
    ],
    topics: ['queries'],
  },
] as const satisfies readonly CommandSpec[];
