// Checks the `-` of a command line before it runs: each stands for a stream, and no stream for two files.
import type { CommandSpec } from '../command-list/command-spec.ts';
import { GLOBAL_OPTIONS } from '../command-list/global-options.ts';
import { FILE_MEANINGS, meaningOfOption, type FileMeaning } from '../command-list/standard-streams.ts';
import { Fault } from '../faults.ts';

/** `@-` is the payload of an event. */
const DASHES: ReadonlySet<unknown> = new Set(['-', '@-']);
const STREAMS = { stdin: 'standard input', stdout: 'standard output', stderr: 'standard error' };

/** Returns whether any value is `-`, so that {@link checkStandardStreams} has something to check. */
export function hasDash(values: Readonly<Record<string, unknown>>): boolean {
  return Object.values(values).some((value) => dashesIn(value) > 0);
}

/**
 * Throws Fault 'usage' where `-` stands for a file that no stream can replace, and where two of them stand for the same stream.
 * `given` has arguments by name and options by camel-case name, `flags` the global options.
 */
export function checkStandardStreams(
  spec: CommandSpec,
  given: Readonly<Record<string, unknown>>,
  flags: Readonly<Record<string, unknown>>,
): void {
  const named: Partial<Record<keyof typeof STREAMS, string>> = {};
  const check = (name: string, meaning: FileMeaning | undefined, value: unknown): void => {
    if (meaning === undefined) return;
    for (let count = dashesIn(value); count > 0; count -= 1) {
      if (typeof meaning === 'object') throw new Fault('usage', `${name} cannot be -: ${meaning.refused}`);
      const other = named[meaning];
      const both = other === name ? `${name} names it twice` : `${other} and ${name} both name it`;
      if (other !== undefined) throw new Fault('usage', `- is ${STREAMS[meaning]}, which is one: ${both}`);
      named[meaning] = name;
    }
  };
  for (const [syntax] of spec.arguments ?? [])
    check(syntax, FILE_MEANINGS[`${spec.words} ${syntax}`], given[syntax.replaceAll(/[^\w-]/g, '')]);
  for (const [syntax] of spec.options ?? []) check(...optionOf(syntax, given));
  for (const [syntax] of GLOBAL_OPTIONS) check(...optionOf(syntax, flags));
}

function optionOf(
  syntax: string,
  values: Readonly<Record<string, unknown>>,
): [name: string, meaning: FileMeaning | undefined, value: unknown] {
  const name = /--[a-z-]+/.exec(syntax)?.[0] ?? syntax;
  const key = name.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [name, meaningOfOption(syntax), values[key]];
}

function dashesIn(value: unknown): number {
  return (Array.isArray(value) ? value : [value]).filter((each) => DASHES.has(each)).length;
}
