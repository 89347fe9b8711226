// The rules that must hold between the rows of an archive. Each is a statement that selects the rows which break it.
import { MESSAGE } from '../rules/integrity.ts';
import type { CheckName } from './findings.ts';

/**
 * `sql` selects the `subject` of each row that breaks the rule, among the numbers above $1, up to $2. `prefix` makes it
 * an id. A statement sees one state of the database, so concurrent writes break no rule.
 */
export type Rule = { problem: string; prefix: string; sql: string };
/** Rules for the rows of a table. `column` holds the numbers by which the table is read in ranges. */
export type RuleSet = {
  check: CheckName;
  table: string;
  column: string;
  /** Whether the report counts these rows as checked. */
  counted: boolean;
  rules: readonly Rule[];
};

const select = (from: string, column: string, broken: string, subject = column) =>
  `SELECT ${subject} AS subject FROM ${from} WHERE ${column} > $1 AND ${column} <= $2 AND (${broken}) ORDER BY ${column}`;

const message = (problem: string, broken: string, joined = ''): Rule => ({
  problem,
  prefix: 'msg_',
  sql: select(`messages m ${joined}`, 'm.n', broken),
});
const conversation = (problem: string, broken: string, joined = ''): Rule => ({
  problem,
  prefix: 'conv_',
  sql: select(`conversations c ${joined}`, 'c.n', broken),
});
const attachment = (problem: string, broken: string, joined = ''): Rule => ({
  problem,
  prefix: 'att_',
  sql: select(`attachments a ${joined}`, 'a.n', broken),
});
const event = (problem: string, broken: string, joined = ''): Rule => ({
  problem,
  prefix: '',
  sql: select(`events e ${joined}`, 'e.n', broken, 'e.id'),
});

const PARENT = 'LEFT JOIN messages p ON p.n = m.parent';
const IS_ORPHAN = 'EXISTS (SELECT 1 FROM orphans o WHERE o.message = m.n)';

/** All rules, in the order in which they are checked. */
export const RULE_SETS: readonly RuleSet[] = [
  {
    check: 'messages',
    table: 'messages',
    column: 'n',
    counted: true,
    rules: [
      message('stored bytes missing', 'r.n IS NULL', 'LEFT JOIN raws r ON r.n = m.n'),
      message('conversation missing', 'c.n IS NULL', 'LEFT JOIN conversations c ON c.n = m.conversation'),
      message('parent missing', 'm.parent IS NOT NULL AND p.n IS NULL', PARENT),
      message('parent in another conversation', 'p.conversation <> m.conversation', PARENT),
      message(
        'position check is wrong',
        `(m.parent IS NULL OR p.n IS NOT NULL) AND ((m.sequence, m.n) < (p.sequence, p.n) IS TRUE)
          <> ((m.failed & ${MESSAGE.positionMonotonic}) <> 0)`,
        PARENT,
      ),
      message(
        'parent check is wrong',
        `(m.parent IS NULL AND ${IS_ORPHAN}) <> ((m.failed & ${MESSAGE.parentPresent}) <> 0)`,
      ),
      message('moved without an event', 'm.sequence <> m.n AND m.moved_by IS NULL'),
      message(
        'moved by an event that was not applied',
        `m.moved_by IS NOT NULL AND (e.effect = 'applied') IS NOT TRUE`,
        'LEFT JOIN events e ON e.id = m.moved_by',
      ),
      message(
        'number of attachments is wrong',
        'm.attachments <> (SELECT COUNT(*) FROM attachments a WHERE a.message = m.n)',
      ),
      message(
        'thread belongs to another conversation',
        'm.message_key IS NOT NULL AND (t.conversation = m.conversation) IS NOT TRUE',
        'LEFT JOIN threads t ON t.message_key = m.message_key',
      ),
    ],
  },
  {
    check: 'messages',
    table: 'raws',
    column: 'n',
    counted: false,
    rules: [
      {
        problem: 'stored bytes without a message',
        prefix: 'msg_',
        sql: select('raws r LEFT JOIN messages m ON m.n = r.n', 'r.n', 'm.n IS NULL'),
      },
    ],
  },
  {
    check: 'conversations',
    table: 'conversations',
    column: 'n',
    counted: true,
    rules: [
      conversation(
        'first message missing',
        'c.first_message <> c.n OR f.n IS NULL OR f.conversation <> c.n',
        'LEFT JOIN messages f ON f.n = c.first_message',
      ),
      conversation(
        'subject or source differs from the first message',
        'c.subject IS DISTINCT FROM f.subject OR c.source <> f.source',
        'JOIN messages f ON f.n = c.n',
      ),
      conversation(
        'number of messages is wrong',
        'c.message_count <> (SELECT COUNT(*) FROM messages m WHERE m.conversation = c.n)',
      ),
      conversation(
        'dates are wrong',
        `c.started_ms IS DISTINCT FROM (SELECT MIN(m.date_ms) FROM messages m WHERE m.conversation = c.n)
          OR c.last_ms IS DISTINCT FROM (SELECT MAX(m.date_ms) FROM messages m WHERE m.conversation = c.n)`,
      ),
      // The names of the tiers stand in the order of the alphabet.
      conversation(
        'tier is not the highest of its messages',
        'c.tier <> (SELECT MAX(m.tier) FROM messages m WHERE m.conversation = c.n)',
      ),
    ],
  },
  {
    check: 'threads',
    table: 'threads',
    column: 'conversation',
    counted: true,
    rules: [
      {
        problem: 'conversation missing',
        prefix: 'conv_',
        sql: select(
          'threads t LEFT JOIN conversations c ON c.n = t.conversation',
          't.conversation',
          'c.n IS NULL',
        ),
      },
    ],
  },
  {
    check: 'threads',
    table: 'orphans',
    column: 'message',
    counted: false,
    rules: [
      {
        problem: 'waits for a parent but is missing',
        prefix: 'msg_',
        sql: select('orphans o LEFT JOIN messages m ON m.n = o.message', 'o.message', 'm.n IS NULL'),
      },
      {
        problem: 'waits for a parent that exists',
        prefix: 'msg_',
        sql: select(
          'orphans o JOIN messages p ON p.message_key = o.message_key',
          'o.message',
          'p.n <> o.message',
        ),
      },
    ],
  },
  {
    check: 'attachments',
    table: 'attachments',
    column: 'n',
    counted: true,
    rules: [
      attachment('message missing', 'm.n IS NULL', 'LEFT JOIN messages m ON m.n = a.message'),
      attachment(
        'absence of the bytes is wrong',
        `(a.stored = 1) <> (a.absence IS NULL) OR (a.stored = 1) = (a.sha256 LIKE 'absent:%')`,
      ),
      {
        problem: 'not redacted, unlike the same bytes elsewhere',
        prefix: 'att_',
        // Only the first redacted row of a hash is compared: one logo can be in every mail.
        sql: select(
          'attachments b JOIN attachments a ON a.sha256 = b.sha256',
          'b.n',
          `b.redaction IS NOT NULL AND a.redacted = 0 AND NOT EXISTS (SELECT 1 FROM attachments c
            WHERE c.sha256 = b.sha256 AND c.n < b.n AND c.redaction IS NOT NULL)`,
          'a.n',
        ),
      },
      attachment(
        'not redacted, unlike a file inside it',
        `a.redacted = 0 AND a.contains > 0 AND EXISTS (SELECT 1 FROM attachments b WHERE b.message = a.message
          AND b.part > a.part AND b.part <= a.part + a.contains AND b.redaction IS NOT NULL)`,
      ),
      {
        problem: 'not redacted, unlike a file around it',
        prefix: 'att_',
        sql: select(
          `attachments b JOIN attachments a
            ON a.message = b.message AND a.part > b.part AND a.part <= b.part + b.contains`,
          'b.n',
          'b.redaction IS NOT NULL AND b.contains > 0 AND a.redacted = 0',
          'a.n',
        ),
      },
      attachment(
        'changed by an event that is missing',
        `(a.source_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = a.source_by))
          OR (a.decorative_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = a.decorative_by))`,
      ),
    ],
  },
  {
    check: 'events',
    table: 'events',
    column: 'n',
    counted: true,
    rules: [
      // An event without an effect so far, or for ever, has no ordinal.
      event(
        'ordinal and effect disagree',
        `(e.effect IN ('waiting', 'queued', 'dead')) <> (e.applied IS NULL)`,
      ),
      event(
        'waits for a record that exists',
        `e.effect = 'waiting' AND (EXISTS (SELECT 1 FROM messages m WHERE m.n = e.message)
          OR EXISTS (SELECT 1 FROM attachments a WHERE a.n = e.attachment))`,
      ),
    ],
  },
];

/** Columns whose numbers have no gaps, with the prefix of their numbers in findings. */
export const NUMBERED_COLUMNS = [
  { check: 'messages', table: 'messages', column: 'n', prefix: 'msg_' },
  { check: 'attachments', table: 'attachments', column: 'n', prefix: 'att_' },
  { check: 'events', table: 'events', column: 'n', prefix: 'event ' },
  { check: 'events', table: 'events', column: 'applied', prefix: 'ordinal ' },
] as const satisfies { check: CheckName; table: string; column: string; prefix: string }[];
