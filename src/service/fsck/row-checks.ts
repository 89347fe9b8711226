// The checks of all rows, in groups of the tables that have the same numbers.
import type { Archive } from '../store/archive.ts';
import { indexedUpTo } from '../store/search/index-state.ts';
import { checkEvents, checkWrittenColumn, WRITTEN_COLUMNS } from './events.ts';
import type { CheckName, Findings } from './findings.ts';
import { checkMissingNumbers } from './missing-numbers.ts';
import type { Group, Part } from './ranges.ts';
import { ATTACHMENT_RULES, checkRowRules, EVENT_RULES, MESSAGE_RULES, type RuleSet } from './row-rules.ts';
import { checkIndexedMessages } from './search-index.ts';
import { checkStoredMessages } from './stored-messages.ts';

/** Returns the checks of all rows, in groups of the tables that have the same numbers. */
export function groupsOf(archive: Archive, findings: Findings): Group[] {
  const { database } = archive;
  const numbers = (check: CheckName, column: string, prefix: string): Part => ({
    check,
    table: check,
    column,
    work: (range) => checkMissingNumbers(database, { check, table: check, column, prefix }, range, findings),
  });
  const rules = (set: RuleSet): Part => ({
    ...set,
    work: (range) => checkRowRules(database, set, range, findings),
  });
  const written = (table: 'messages' | 'attachments'): Part[] =>
    WRITTEN_COLUMNS.filter(({ check }) => check === table).map((column) => ({
      check: table,
      table,
      column: 'n',
      work: (range) => checkWrittenColumn(archive, column, range, findings),
    }));
  return [
    {
      label: 'messages',
      parts: [
        numbers('messages', 'n', 'msg_'),
        ...MESSAGE_RULES.map(rules),
        ...written('messages'),
        {
          check: 'stored messages',
          table: 'messages',
          column: 'n',
          work: (range) => checkStoredMessages(archive, range, findings),
        },
        {
          check: 'search',
          table: 'messages',
          column: 'n',
          upto: () => indexedUpTo(database),
          work: (range) => checkIndexedMessages(archive, range, findings),
        },
      ],
    },
    {
      label: 'attachments',
      parts: [numbers('attachments', 'n', 'att_'), rules(ATTACHMENT_RULES), ...written('attachments')],
    },
    {
      label: 'events',
      parts: [
        numbers('events', 'n', 'event '),
        numbers('events', 'applied', 'ordinal '),
        rules(EVENT_RULES),
        {
          check: 'events',
          table: 'events',
          column: 'n',
          work: (range) => checkEvents(archive, range, findings),
        },
      ],
    },
  ];
}
