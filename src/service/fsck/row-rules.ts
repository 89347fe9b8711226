// The rules that must hold between the rows of an archive.
import { MESSAGE } from '../rules/integrity.ts';
import { isStoreDamaged } from '../store/sql/database-error.ts';
import type { Statements, Value } from '../store/sql/database.ts';
import type { CheckName, Findings } from './findings.ts';

/**
 * `broken` is true for a row that breaks the rule; `joins` names the joins of its set that it needs. `sql` in place of both
 * selects the `subject` of each such row itself, among the numbers above $1, up to $2.
 */
type Rule = { problem: string } & (
  { broken: string; joins: readonly string[] } | { prefix: string; sql: string }
);

/**
 * Rules for the rows of a table. `column` holds the numbers by which it is read in ranges, `subject` what findings name, and `prefix`
 * makes it an id. The joins find at most one row for each row, so that all rules are checked by one statement.
 */
export type RuleSet = {
  check: CheckName;
  table: string;
  column: string;
  /** Whether the report counts these rows as checked. */
  counted: boolean;
  alias: string;
  subject: string;
  prefix: string;
  joins: Readonly<Record<string, string>>;
  rules: readonly Rule[];
};

const rule = (problem: string, broken: string, ...joins: string[]): Rule => ({ problem, broken, joins });

/** Selects the subjects of the rows that break at least one of `rules`, and for each rule a column that says so. */
function statementOf(
  { table, alias, column, subject, joins }: RuleSet,
  rules: readonly { broken: string; joins: readonly string[] }[],
): string {
  const used = new Set(rules.flatMap((each) => each.joins));
  const joined = Object.entries(joins).flatMap(([name, text]) => (used.has(name) ? [text] : []));
  const flags = rules.map(({ broken }, at) => `CASE WHEN ${broken} THEN 1 ELSE 0 END AS broken_${at}`);
  const n = `${alias}.${column}`;
  return `SELECT ${subject} AS subject, ${flags.join(', ')} FROM ${table} ${alias} ${joined.join(' ')}
    WHERE ${n} > $1 AND ${n} <= $2 AND (${rules.map(({ broken }) => `(${broken})`).join(' OR ')}) ORDER BY ${n}`;
}

/**
 * Adds the rows above `after`, up to `to`, that break a rule. All rules of one row are checked by one statement, which sees one
 * state of the database, so concurrent writes break no rule. Where it fails, each rule has its own, so that damage hides no more
 * than the rules that cannot be checked.
 */
export async function checkRowRules(
  statements: Statements,
  set: RuleSet,
  { after, to }: { after: number; to: number },
  findings: Findings,
): Promise<void> {
  const { check, table, column, counted, rules } = set;
  if (counted) {
    const where = `${column} > $1 AND ${column} <= $2`;
    const count = `SELECT COUNT(*) AS rows FROM ${table} WHERE ${where}`;
    findings.checked(check, (await statements.get<{ rows: number }>(count, [after, to]))?.rows ?? 0);
  }
  const add = (problem: string, prefix: string, subject: Value | undefined): void =>
    findings.add(check, problem, `${prefix}${String(subject)}`);
  const together = rules.flatMap((each) => ('broken' in each ? [each] : []));
  const checkTogether = async (some: typeof together): Promise<void> => {
    if (some.length === 0) return;
    const rows = await statements.all(statementOf(set, some), [after, to]);
    for (const [at, { problem }] of some.entries())
      for (const row of rows) if (row[`broken_${at}`] === 1) add(problem, set.prefix, row['subject']);
  };
  try {
    await checkTogether(together);
  } catch (error) {
    if (!isStoreDamaged(error)) throw error;
    for (const each of together) await checkTogether([each]);
  }
  for (const each of rules) {
    if (!('sql' in each)) continue;
    for (const { subject } of await statements.all(each.sql, [after, to]))
      add(each.problem, each.prefix, subject);
  }
}

const IS_ORPHAN = 'EXISTS (SELECT 1 FROM orphans o WHERE o.message = m.n)';

/** The messages of the conversations of a range, counted once. */
const OWN_MESSAGES = `LEFT JOIN (SELECT conversation, COUNT(*) AS count, MIN(date_ms) AS started_ms, MAX(date_ms) AS last_ms,
    MAX(tier) AS tier FROM messages WHERE conversation > $1 AND conversation <= $2 GROUP BY conversation) s
  ON s.conversation = c.n`;

/** The rules of messages and of what has the numbers of messages. */
export const MESSAGE_RULES: readonly RuleSet[] = [
  {
    check: 'messages',
    table: 'messages',
    column: 'n',
    counted: true,
    alias: 'm',
    subject: 'm.n',
    prefix: 'msg_',
    joins: {
      raws: 'LEFT JOIN raws r ON r.n = m.n',
      conversations: 'LEFT JOIN conversations c ON c.n = m.conversation',
      parents: 'LEFT JOIN messages p ON p.n = m.parent',
      events: 'LEFT JOIN events e ON e.id = m.moved_by',
      threads: 'LEFT JOIN threads t ON t.message_key = m.message_key',
    },
    rules: [
      rule('stored bytes missing', 'r.n IS NULL', 'raws'),
      rule('conversation missing', 'c.n IS NULL', 'conversations'),
      rule('parent missing', 'm.parent IS NOT NULL AND p.n IS NULL', 'parents'),
      rule('parent of itself', 'm.parent = m.n'),
      rule('parent in another conversation', 'p.conversation <> m.conversation', 'parents'),
      rule(
        'position check is wrong',
        `(m.parent IS NULL OR p.n IS NOT NULL) AND ((m.sequence, m.n) < (p.sequence, p.n) IS TRUE)
          <> ((m.failed & ${MESSAGE.positionMonotonic}) <> 0)`,
        'parents',
      ),
      rule(
        'parent check is wrong',
        `(m.parent IS NULL AND ${IS_ORPHAN}) <> ((m.failed & ${MESSAGE.parentPresent}) <> 0)`,
      ),
      rule('moved without an event', 'm.sequence <> m.n AND m.moved_by IS NULL'),
      rule(
        'moved by an event that was not applied',
        `m.moved_by IS NOT NULL AND (e.effect = 'applied') IS NOT TRUE`,
        'events',
      ),
      rule(
        'number of attachments is wrong',
        'm.attachments <> (SELECT COUNT(*) FROM attachments a WHERE a.message = m.n)',
      ),
      rule(
        'thread belongs to another conversation',
        'm.message_key IS NOT NULL AND (t.conversation = m.conversation) IS NOT TRUE',
        'threads',
      ),
    ],
  },
  {
    check: 'messages',
    table: 'raws',
    column: 'n',
    counted: false,
    alias: 'r',
    subject: 'r.n',
    prefix: 'msg_',
    joins: { messages: 'LEFT JOIN messages m ON m.n = r.n' },
    rules: [rule('stored bytes without a message', 'm.n IS NULL', 'messages')],
  },
  {
    check: 'conversations',
    table: 'conversations',
    column: 'n',
    counted: true,
    alias: 'c',
    subject: 'c.n',
    prefix: 'conv_',
    joins: {
      first: 'LEFT JOIN messages f ON f.n = c.first_message',
      own: 'LEFT JOIN messages o ON o.n = c.n',
      messages: OWN_MESSAGES,
    },
    rules: [
      rule(
        'first message missing',
        'c.first_message <> c.n OR f.n IS NULL OR f.conversation <> c.n',
        'first',
      ),
      rule(
        'subject or source differs from the first message',
        'o.n IS NOT NULL AND (c.subject IS DISTINCT FROM o.subject OR c.source <> o.source)',
        'own',
      ),
      rule('number of messages is wrong', 'c.message_count <> COALESCE(s.count, 0)', 'messages'),
      rule(
        'dates are wrong',
        'c.started_ms IS DISTINCT FROM s.started_ms OR c.last_ms IS DISTINCT FROM s.last_ms',
        'messages',
      ),
      // The names of the tiers stand in the order of the alphabet.
      rule('tier is not the highest of its messages', 'c.tier <> s.tier', 'messages'),
    ],
  },
  {
    check: 'threads',
    table: 'threads',
    column: 'conversation',
    counted: true,
    alias: 't',
    subject: 't.conversation',
    prefix: 'conv_',
    joins: { conversations: 'LEFT JOIN conversations c ON c.n = t.conversation' },
    rules: [rule('conversation missing', 'c.n IS NULL', 'conversations')],
  },
  {
    check: 'threads',
    table: 'orphans',
    column: 'message',
    counted: false,
    alias: 'o',
    subject: 'o.message',
    prefix: 'msg_',
    joins: { messages: 'LEFT JOIN messages m ON m.n = o.message' },
    rules: [
      rule('waits for a parent but is missing', 'm.n IS NULL', 'messages'),
      rule(
        'waits for a parent that exists',
        'EXISTS (SELECT 1 FROM messages p WHERE p.message_key = o.message_key AND p.n <> o.message)',
      ),
    ],
  },
];

/** Selects from joined attachments `a` and `b`; the range is that of `b`, the finding is about `a`. */
const besides = (problem: string, joined: string, broken: string): Rule => ({
  problem,
  prefix: 'att_',
  sql: `SELECT a.n AS subject FROM attachments b JOIN attachments a ON ${joined}
    WHERE b.n > $1 AND b.n <= $2 AND (${broken}) ORDER BY b.n`,
});

/** The rules of attachments. */
export const ATTACHMENT_RULES: RuleSet = {
  check: 'attachments',
  table: 'attachments',
  column: 'n',
  counted: true,
  alias: 'a',
  subject: 'a.n',
  prefix: 'att_',
  joins: { messages: 'LEFT JOIN messages m ON m.n = a.message' },
  rules: [
    rule('message missing', 'm.n IS NULL', 'messages'),
    rule(
      'absence of the bytes is wrong',
      `(a.stored = 1) <> (a.absence IS NULL) OR (a.stored = 1) = (a.sha256 LIKE 'absent:%')`,
    ),
    // Only the first redacted row of a hash is compared: one logo can be in every mail.
    besides(
      'not redacted, unlike the same bytes elsewhere',
      'a.sha256 = b.sha256',
      `b.redaction IS NOT NULL AND a.redacted = 0 AND NOT EXISTS (SELECT 1 FROM attachments c
        WHERE c.sha256 = b.sha256 AND c.n < b.n AND c.redaction IS NOT NULL)`,
    ),
    rule(
      'not redacted, unlike a file inside it',
      `a.redacted = 0 AND a.contains > 0 AND EXISTS (SELECT 1 FROM attachments b WHERE b.message = a.message
        AND b.part > a.part AND b.part <= a.part + a.contains AND b.redaction IS NOT NULL)`,
    ),
    besides(
      'not redacted, unlike a file around it',
      'a.message = b.message AND a.part > b.part AND a.part <= b.part + b.contains',
      'b.redaction IS NOT NULL AND b.contains > 0 AND a.redacted = 0',
    ),
    rule(
      'changed by an event that is missing',
      `(a.source_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = a.source_by))
        OR (a.decorative_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = a.decorative_by))`,
    ),
  ],
};

/** The rules of events. */
export const EVENT_RULES: RuleSet = {
  check: 'events',
  table: 'events',
  column: 'n',
  counted: true,
  alias: 'e',
  subject: 'e.id',
  prefix: '',
  joins: {},
  rules: [
    // An event without an effect so far, or for ever, has no ordinal.
    rule('ordinal and effect disagree', `(e.effect IN ('waiting', 'queued', 'dead')) <> (e.applied IS NULL)`),
    rule(
      'waits for a record that exists',
      `e.effect = 'waiting' AND (EXISTS (SELECT 1 FROM messages m WHERE m.n = e.message)
        OR EXISTS (SELECT 1 FROM attachments a WHERE a.n = e.attachment))`,
    ),
  ],
};
