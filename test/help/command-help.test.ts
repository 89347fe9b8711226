// The help of a command, and the overview, fit the terminal, also a narrow one.
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandHelp } from '../../src/help/command-help.ts';
import { overview } from '../../src/help/overview.ts';

const command = new Command('list')
  .description('list the rows of a service, one page or all of them, with what is withheld')
  .argument('<file>', 'a file that is read, one line after the other, and that may be - for standard input')
  .option('--city <city>', 'only rows from this city; more than one city may be named, with a comma')
  .option('--min-bytes <size>', 'only rows of at least this size, e.g. 2000, 20kB or 1.5M');

function helpAt(columns: number): string[] {
  const helper = command.createHelp();
  helper.helpWidth = columns;
  return commandHelp(command, helper, { examples: ['arx list'] }).split('\n');
}

test.each([30, 40, 50, 60, 79, 80])('at %i columns no line is longer, and every word is there', (columns) => {
  const lines = helpAt(columns);
  expect(lines.filter((line) => line.length > columns && line.trim().includes(' '))).toEqual([]);
  const text = lines.join(' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain('only rows from this city; more than one city may be named, with a comma');
  expect(text).toContain('List the rows of a service, one page or all of them, with what is withheld.');
});

test.each([30, 40, 60, 79, 80])('at %i columns the overview has each word, in lines that fit', (columns) => {
  const wide = overview(80);
  const text = overview(columns);
  const isExample = (line: string) => /^ {2}arx /.test(line);
  expect(text.split('\n').filter((line) => line.length > columns && !isExample(line))).toEqual([]);
  expect(text.replaceAll(/\s+/g, ' ')).toBe(wide.replaceAll(/\s+/g, ' '));
});

test('on a wide terminal it has 80 columns', () => {
  expect(helpAt(200)).toEqual(helpAt(80));
});
