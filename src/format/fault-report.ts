// What a failed command says on stderr: one line a failure, what was kept, one hint, and for machines one JSON line.
import type { ExitRecord } from '../contract/reports/command.ts';
import { exitCodeOf, worstOf } from '../exit.ts';
import { Fault } from '../faults.ts';
import { plural } from './numbers.ts';
import { truncate, escapeJson, escapeText } from './terminal/escape.ts';

const MAX_FAULT_LINES = 15;
const MAX_LINE_COLUMNS = 500;

/**
 * The most severe fault comes first and with its details; the others follow with one line each. At most 20 lines
 * (more only with `debug`, which adds the stacks), every one ended by a newline. With `json` the last line is the
 * exit record. Empty where there is no fault or the reader of a pipe went away.
 */
export function formatFaults(faults: readonly Fault[], options: { json: boolean; debug: boolean }): string {
  const worst = worstOf(faults);
  if (worst === undefined || worst.detail.signal === 'SIGPIPE') return '';
  const others = faults.filter((fault) => fault !== worst);
  const shown = others.length > MAX_FAULT_LINES ? others.slice(0, MAX_FAULT_LINES - 1) : others;
  const lines = [
    `arx: ${worst.message} [${classOf(worst)}, exit ${exitCodeOf(worst)}]`,
    ...detailLines(worst),
    ...shown.map((fault) => `arx: ${fault.message} [${classOf(fault)}]${requestOf(fault)}`),
    ...(shown.length < others.length
      ? [`arx: and ${plural(others.length - shown.length, 'more failure')}`]
      : []),
    ...(options.debug ? faults.flatMap(stackLines) : []),
  ].map((line) => truncate(escapeText(line), MAX_LINE_COLUMNS));
  if (options.json) lines.push(escapeJson(JSON.stringify(exitRecordOf(worst))));
  return lines.map((line) => `${line}\n`).join('');
}

/** The exit record of a fault (contract/report.ts); fields the fault does not have are left out. */
export function exitRecordOf(fault: Fault): ExitRecord {
  const { code, request_id, integrity, retryable } = fault.detail;
  return {
    type: 'exit',
    exit: exitCodeOf(fault),
    class: classOf(fault),
    message: fault.message,
    ...(code === undefined ? {} : { code }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(integrity === undefined ? {} : { integrity }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}

function classOf(fault: Fault): string {
  return fault.kind === 'interrupted' ? 'signal' : fault.kind;
}

function detailLines({ detail }: Fault): string[] {
  const service = [
    detail.code === undefined ? '' : `code ${detail.code}`,
    detail.request_id === undefined ? '' : `request_id ${detail.request_id}`,
    detail.integrity === undefined ? '' : `integrity ${detail.integrity}`,
  ].filter((part) => part !== '');
  return [
    ...(service.length === 0 ? [] : [`  service: ${service.join(' · ')}`]),
    ...(detail.kept === undefined ? [] : [`  kept: ${detail.kept}`]),
    ...(detail.hint === undefined ? [] : [`  hint: ${detail.hint}`]),
  ];
}

function requestOf({ detail }: Fault): string {
  const parts = [
    detail.code === undefined ? '' : ` code ${detail.code}`,
    detail.request_id === undefined ? '' : ` request_id ${detail.request_id}`,
    detail.integrity === undefined ? '' : ` integrity ${detail.integrity}`,
  ];
  return parts.join('');
}

/** Names, codes and frames only: the message of a foreign error may quote what it was given, a token included. */
function stackLines(error: unknown): string[] {
  const lines: string[] = [];
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 8; depth += 1) {
    const code = 'code' in at && typeof at.code === 'string' ? ` ${at.code}` : '';
    const frames = (at.stack ?? '')
      .replace(at.message, '')
      .split('\n')
      .filter((line) => /^ {4}at /.test(line));
    lines.push(`  ${depth === 0 ? '' : 'caused by '}${at.name}${code}`, ...frames);
    at = at.cause;
  }
  return lines;
}
