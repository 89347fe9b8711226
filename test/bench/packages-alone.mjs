// The packages of the program alone: the least that reads an option, a row of SQLite and a schema, and writes JSON or a table.
// What a list takes beyond this is our code.
import { DatabaseSync } from '@photostructure/sqlite';
import Table from 'cli-table3';
import { Command } from 'commander';
import * as z from 'zod';

const text = z.string().nullable().optional();
const Row = z.object({
  id: z.string(),
  position: z.int(),
  city: text,
  type: text,
  name: text,
  time: text,
  sha256: text,
});
const program = new Command('arx');
const list = program.command('attachments').command('ls').option('--json').option('-o <form>');
for (let n = 0; n < 20; n++) list.option(`--option-${n} <value>`, 'one of the options of a list');
list.action(({ json }) => {
  const select = `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20)
    SELECT 'att_' || n AS id, n AS position, 'berlin' AS city, 'text/plain' AS type, 'note.txt' AS name,
      '2024-01-01T00:00:00Z' AS time, '${'0'.repeat(64)}' AS sha256 FROM n`;
  const found = new DatabaseSync(':memory:').prepare(select).all();
  const rows = z.array(Row).parse(found, { jitless: true });
  if (json) return process.stdout.write(`${JSON.stringify({ rows })}\n`);
  const table = new Table({ head: Object.keys(rows[0]) });
  for (const row of rows) table.push(Object.values(row));
  return process.stdout.write(`${table.toString()}\n`);
});
program.parse();
