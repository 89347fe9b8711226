// Options that arx does not have: what is proposed in their place is always an option that the command takes.
import { expect, test } from 'vitest';
import { GLOBAL_OPTIONS } from '../../src/command-list/global-options.ts';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { optionSuggestion, OPTIONS_OF_OTHERS } from '../../src/command-list/option-suggestion.ts';
import { parse } from '../../src/program.ts';
import { Fault, hintText } from '../../src/faults.ts';

async function faultOf(line: string): Promise<Fault> {
  const fault = await parse(line.split(' '), '1.2.3').then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof Fault)) throw new Error(`${line} is no fault`);
  return fault;
}

test.each([
  ['messages ls --format csv', '-o csv'],
  ['messages ls --format=jsonl', '-o ndjson'],
  ['--format json messages ls', '-o json'],
  ['attachments ls --csv', '-o csv'],
  ['attachments ls -o jsonl', 'ndjson'],
  ['attachments ls -o text', 'tsv'],
  ['messages ls -n 10', '--limit'],
  ['messages ls -n10', '--limit'],
  ['attachments cities -n 10', '--max-rows'],
  ['attachments pull --dryrun', '--dry-run'],
  ['redact att_1 -y', '--yes'],
  ['messages ls --all-pages', '--all'],
  ['messages ls --offset 10', '--after'],
  ['messages ls --limt 3', '--limit'],
  ['messages ls --origin-city x', undefined],
  ['attachments ls --origin-city x', '--city'],
  ['attachments pull --output-dir x', '--to'],
  ['attachments ls --columns id', '--fields'],
  ['health --silent', '--quiet'],
  ['health --debug', '--verbose'],
  ['health --host x', '--base-url'],
  ['health --token x', '--token-file'],
  ['health --no-colour', '--no-color'],
  ['search x --order-by date', '--sort'],
  ['search x --data-dir y', 'ARX_DATA_DIR=FOLDER'],
  ['read conv_1 -n 5', undefined],
  ['backup --to x -n 5', undefined],
  ['attachments pull --limit 5', undefined],
  ['attachments pull --conversation conv_1', '--matching conversation:ID'],
  ['attachments ls --thread=conv_1', '--matching conversation:ID'],
  ['messages ls --thread conv_1', '--conversation'],
  ['events types -n 5', '--max-rows'],
  ['search x -f y', undefined],
  ['redact att_1 -f', '--yes'],
  ['conversations export conv_1 -f', '--force'],
])('arx %s: did you mean %s', async (line, meant) => {
  const { kind, message, detail } = await faultOf(line);
  expect(kind).toBe('usage');
  expect(message).not.toContain('Did you mean');
  const hint = hintText(detail.hint ?? '');
  if (meant === undefined) expect(hint).not.toContain('did you mean');
  else expect(`${hint};`).toContain(`did you mean: ${meant};`);
  expect(hint).toMatch(/arx (help|--help)/);
});

test.each(['ls', 'create', 'copy', 'move', 'upgrade', 'drop'])(
  'arx archive %s takes a database as an argument',
  async (verb) => {
    for (const option of ['--db', '--database', '--archive', '--data-dir']) {
      const { detail } = await faultOf(`archive ${verb} ${option} x`);
      expect(detail.hint).toMatch(
        new RegExp(`^the database is an argument: arx archive ${verb} \\w+:/.*; arx help archive ${verb}$`),
      );
    }
  },
);

test('an option of another command names it', async () => {
  const { detail } = await faultOf('messages ls --city lisbon');
  expect(detail.hint).toMatch(/^--city is an option of arx search and arx attachments ls; arx help/);
});

test.each([
  ['messages ls --source x', '--source is an option of arx search and arx attachments ls'],
  ['content get msg_1 --lore', '--lore is an option of arx read'],
  ['attachments ls --max-bytes 10', '--max-bytes is an option of '],
])('the exact name of another option is more than a near name: arx %s', async (line, hint) => {
  const { detail } = await faultOf(line);
  expect(detail.hint).toContain(hint);
  expect(detail.hint).not.toContain('did you mean');
});

test('the two minus signs do not make an option look near', async () => {
  expect((await faultOf('health --lore')).detail.hint).not.toContain('--force');
  expect((await faultOf('health --forse')).detail.hint).toContain('did you mean: --force');
});

test('fields behind --json, as with gh', async () => {
  const { detail } = await faultOf('attachments ls --json id,filename');
  expect(detail.hint).toBe('did you mean: --json --fields id,filename; arx help attachments ls');
});

test('what is proposed can be typed, for every command and every option of others', () => {
  let proposed = 0;
  for (const spec of COMMAND_LIST) {
    const own = new Set(
      [...(spec.options ?? []), ...GLOBAL_OPTIONS].flatMap(([syntax]) => syntax.split(/,? /)),
    );
    for (const other of OPTIONS_OF_OTHERS.flatMap(([others]) => others)) {
      if (own.has(other)) continue;
      const hint = optionSuggestion(other, undefined, { spec, commands: COMMAND_LIST }) ?? '';
      const meant = /^did you mean: (-\S+)/.exec(hint)?.[1];
      if (meant === undefined) continue;
      expect([spec.words, other, meant, own.has(meant)]).toEqual([spec.words, other, meant, true]);
      proposed += 1;
    }
  }
  expect(proposed).toBeGreaterThan(1000);
});
