// What a failed command prints on stderr: a line for each failure, details of the worst one, and a JSON record for machines.
import type { ExitRecord, Failure } from '../contract/reports/command.ts';
import { exitCodeOf, worstOf } from '../exit.ts';
import { Fault, hintText, type HintNames } from '../faults.ts';
import { plural } from './numbers.ts';
import { truncate, escapeJson, escapeText } from './terminal/escape.ts';
import { SEPARATOR, wrapMessage, wrapParts } from './terminal/wrap.ts';

const MAX_FAULT_LINES = 15;
const MAX_LINE_COLUMNS = 500;

/**
 * Returns the text for stderr. The most severe fault comes first, with its details; each other one has one line. Faults of
 * one text are one line, with their number. There are at most 20 lines; `debug` adds stacks. With `json` the exit record, as the last line, says all of it for programs. The text
 * is empty where there is no fault, or the reader of a pipe has closed it. `columns` is the width of a terminal; `names`: what hints name of the run.
 */
export function formatFaults(
  faults: readonly Fault[],
  options: { json: boolean; debug: boolean; columns?: number | undefined; names?: HintNames | undefined },
): string {
  const worst = worstOf(faults);
  if (worst === undefined || worst.detail.signal === 'SIGPIPE') return '';
  const [first, ...others] = distinctFailures(worst, faults);
  const isCut = others.length > MAX_FAULT_LINES;
  const shown = others.slice(0, isCut ? MAX_FAULT_LINES - 1 : MAX_FAULT_LINES);
  const more = others.slice(shown.length).reduce((sum, { times }) => sum + times, 0);
  const lines = [
    `arx: ${worst.message} [${classOf(worst)}, exit ${exitCodeOf(worst)}]${timesText(first)}`,
    ...detailLines(worst, options),
    ...shown.map((repeated) => `${lineOf(repeated.fault)}${timesText(repeated)}`),
    ...(more > 0 ? [`arx: and ${plural(more, 'more failure')}`] : []),
    ...(options.debug ? faults.flatMap(stackLines) : []),
  ].flatMap((line) => wrapMessage(truncate(escapeText(line), MAX_LINE_COLUMNS), options.columns));
  if (options.json)
    lines.push(
      escapeJson(JSON.stringify(exitRecordOf(first, { others: shown, more, names: options.names }))),
    );
  return lines.map((line) => `${line}\n`).join('');
}

/** A failure of which the run may have several that say the same. */
type RepeatedFault = { fault: Fault; times: number };

/** Returns one of each, in the order in which they came, after the most severe one and those that are said once. */
function distinctFailures(worst: Fault, faults: readonly Fault[]): [RepeatedFault, ...RepeatedFault[]] {
  const first: RepeatedFault = { fault: worst, times: 0 };
  const groups = new Map([[lineOf(worst), first]]);
  for (const fault of faults) {
    const line = lineOf(fault);
    const group = groups.get(line) ?? { fault, times: 0 };
    group.times += 1;
    groups.set(line, group);
  }
  const others = [...groups.values()].slice(1);
  const isSaidOnce = ({ fault }: RepeatedFault): boolean => fault.detail.isSaidOnce === true;
  return [first, ...others.filter(isSaidOnce), ...others.filter((each) => !isSaidOnce(each))];
}

function lineOf(fault: Fault): string {
  return `arx: ${fault.message} [${classOf(fault)}]${serviceDetails(fault)}`;
}

function timesText({ times }: RepeatedFault): string {
  return times === 1 ? '' : ` (${times} times)`;
}

/**
 * Returns the exit record of a fault (contract/reports/command.ts). Fields that the fault lacks are left out. `others`: less
 * severe faults of the run; `more`: how many there are besides.
 */
function exitRecordOf(
  worst: RepeatedFault,
  { others, more, names }: { others: readonly RepeatedFault[]; more: number; names: HintNames | undefined },
): ExitRecord {
  const { fault } = worst;
  const { retryable, kept, hint } = fault.detail;
  return {
    type: 'exit',
    exit: exitCodeOf(fault),
    ...failureOf(worst),
    ...(retryable === undefined ? {} : { retryable }),
    ...(kept === undefined ? {} : { kept }),
    ...(hint === undefined ? {} : { next: hintText(hint, names) }),
    ...(others.length === 0 ? {} : { others: others.map(failureOf) }),
    ...(more === 0 ? {} : { more_failures: more }),
  };
}

function failureOf({ fault, times }: RepeatedFault): Failure {
  const { code, request_id, integrity } = fault.detail;
  return {
    class: classOf(fault),
    message: fault.message,
    ...(code === undefined ? {} : { code }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(integrity === undefined ? {} : { integrity }),
    ...(times === 1 ? {} : { times }),
  };
}

function classOf(fault: Fault): string {
  return fault.kind === 'interrupted' ? 'signal' : fault.kind;
}

function detailLines(
  { detail }: Fault,
  { columns, names }: { columns?: number | undefined; names?: HintNames | undefined },
): string[] {
  const service = [
    detail.code === undefined ? '' : `code ${detail.code}`,
    detail.request_id === undefined ? '' : `request_id ${detail.request_id}`,
    detail.integrity === undefined ? '' : `integrity ${detail.integrity}`,
  ].filter((part) => part !== '');
  return [
    ...(service.length === 0 ? [] : wrapParts(`  service: ${service.join(SEPARATOR)}`, columns)),
    ...(detail.kept === undefined ? [] : [`  kept: ${detail.kept}`]),
    ...(detail.hint === undefined ? [] : [`  hint: ${hintText(detail.hint, names)}`]),
  ];
}

function serviceDetails({ detail }: Fault): string {
  const parts = [
    detail.code === undefined ? '' : ` code ${detail.code}`,
    detail.request_id === undefined ? '' : ` request_id ${detail.request_id}`,
    detail.integrity === undefined ? '' : ` integrity ${detail.integrity}`,
  ];
  return parts.join('');
}

/** Names, codes and frames only: the message of a library's error may quote its input, even a token. */
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
