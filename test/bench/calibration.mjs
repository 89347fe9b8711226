// Whether the verdict of a walk is as sure as it says, on lists of a second generator of faults (test/support/judged-list.ts).
// `npm run bench calibration -- [--from SEED] [--count N] [--json]`; `--seed S -v` prints every read of one walk.
import { availableParallelism } from 'node:os';
import { inProcesses } from './bundle.mjs';
import { median, table } from './timing.mjs';

const SHARE = 250;
/** Lower edges of the bins of stated confidence. */
const BINS = [0.9999, 0.999, 0.99, 0.9, 0];
/** Requests are compared with the minimum in lists of so many pages or more; in shorter ones the ends cost most. */
const MIN_PAGES = 10;

export async function bench({ quick, options }) {
  const { json, verbose } = options;
  const seed = integer(options.seed);
  if (seed !== undefined) {
    const explained = verbose
      ? await inProcesses('calibration.ts', 'explainWalk', [[seed]], 1)
      : (await inProcesses('calibration.ts', 'judgeWalks', [[seed, seed + 1]], 1)).flat();
    for (const one of explained) process.stdout.write(`${verbose ? one : JSON.stringify(one)}\n`);
    return;
  }
  const first = integer(options.from) ?? 1;
  const end = first + (integer(options.count) ?? (quick ? 1000 : 100_000));
  const shares = Array.from({ length: Math.ceil((end - first) / SHARE) }, (_, share) => [
    first + share * SHARE,
    Math.min(end, first + (share + 1) * SHARE),
  ]);
  const walks = (await inProcesses('calibration.ts', 'judgeWalks', shares, availableParallelism())).flat();
  const failed = walks.filter(({ result }) => isWrong(result));
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ first, walks: walks.length, kinds: countBy(walks, 'kind'), failed })}\n`,
    );
  } else {
    print(walks, first, end);
    printFailed(failed);
  }
  if (
    walks.some(
      ({ result, recoverable }) => result === 'crash' || (result === 'false complete' && recoverable),
    )
  )
    process.exitCode = 1;
}

/** The number of an option; undefined where it was not given. */
function integer(text) {
  if (text !== undefined && !/^\d+$/.test(text))
    throw new Error(`not a number of a seed or of walks: ${text}`);
  return text === undefined ? undefined : Number(text);
}

function print(walks, first, end) {
  const title = `Judged lists, seeds ${first} to ${end - 1}`;
  table(`${title}: all`, [
    { '': 'recoverable', ...counts(walks.filter(({ recoverable }) => recoverable)) },
    { '': 'not recoverable', ...counts(walks.filter(({ recoverable }) => !recoverable)) },
  ]);
  table(
    `${title}: recoverable, by kind`,
    countBy(
      walks.filter(({ recoverable }) => recoverable),
      'kind',
    ),
  );
  table(
    `${title}: not recoverable, by kind`,
    countBy(
      walks.filter(({ recoverable }) => !recoverable),
      'kind',
    ),
  );
  for (const name of [
    'positions',
    'timing',
    'placement',
    'drift',
    'writes',
    'source',
    'hasMore',
    'directions',
    'range',
  ])
    table(
      `${title}: recoverable, by ${name}`,
      countBy(
        walks.filter(({ recoverable }) => recoverable),
        name,
      ),
    );
  const complete = walks.filter(({ result }) => ['exact', 'false complete'].includes(result));
  const diagram = (label, group) => ({
    '': label,
    ...Object.fromEntries(BINS.map((low, bin) => binOf(group, low, bin))),
  });
  const by = (name) => groupsOf(complete, name).map(([label, group]) => diagram(`${name}: ${label}`, group));
  table(
    'Reliability: stated confidence against complete walks, those that were wrong, and those expected to be wrong by what was stated',
    [
      diagram('all', complete),
      diagram(
        'recoverable',
        complete.filter(({ recoverable }) => recoverable),
      ),
      ...by('kind'),
      ...by('positions'),
    ],
  );
  const below = complete.filter(({ confidence, epsilon }) => confidence < 1 - epsilon);
  process.stdout.write(`\ncomplete below the target of the walk: ${below.length}\n`);
  const faults = groupsOf(
    walks.filter(({ fault }) => fault !== undefined),
    'fault',
  );
  process.stdout.write(
    `incomplete by kind of fault: ${faults.map(([kind, { length }]) => `${kind} ${length}`).join(', ')}\n`,
  );
}

function printFailed(failed) {
  for (const {
    result,
    seed,
    kind,
    timing,
    placement,
    drift,
    size,
    positions,
    stale,
    writes,
    source,
    recoverable,
    confidence,
    reason,
  } of failed)
    process.stdout.write(
      `\n${result}${recoverable ? '' : ' (not recoverable)'}: seed ${seed}, ${kind}, stale ${stale}, ${timing}, ${placement}, drift ${drift.toFixed(2)}, ` +
        `${size} rows, positions ${positions}, writes ${writes}, cross-check ${source}, confidence ${confidence}: ${reason}`,
    );
  process.stdout.write('\n');
}

const isWrong = (result) => ['false complete', 'wrong rows', 'crash'].includes(result);

function groupsOf(walks, name) {
  const groups = new Map();
  for (const walk of walks) groups.set(walk[name], [...(groups.get(walk[name]) ?? []), walk]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function countBy(walks, name) {
  return groupsOf(walks, name).map(([label, group]) => ({ [name]: label, ...counts(group) }));
}

function counts(walks) {
  const number = (wanted) => walks.filter(({ result }) => result === wanted).length;
  const ratios = walks
    .filter(({ pages }) => pages >= MIN_PAGES)
    .map(({ requests, pages }) => requests / pages);
  const sorted = ratios.sort((a, b) => a - b);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return {
    walks: walks.length,
    exact: number('exact'),
    '%': ((100 * number('exact')) / Math.max(1, walks.length)).toFixed(1),
    'said so': number('incomplete'),
    'wrong rows, said so': number('wrong rows'),
    'false complete': number('false complete'),
    'of these only a late dead row': walks.filter(isOnlyLate).length,
    crashed: number('crash'),
    'requests : minimum': mean(ratios).toFixed(2),
    median: (median(ratios) ?? 0).toFixed(2),
    p95: (sorted[Math.floor(0.95 * sorted.length)] ?? 0).toFixed(2),
    'CPU ms': mean(walks.map(({ ms }) => ms)).toFixed(1),
  };
}

/** The list that was written is right, and the report names a row as late that is not in the list. */
const isOnlyLate = ({ result, reason = '' }) =>
  result === 'false complete' && /^dead row .* is late/.test(reason);

/** Complete walks that stated a confidence in this bin: how many, how many wrong, how many wrong by what they stated. */
function binOf(walks, low, bin) {
  const high = bin === 0 ? Infinity : BINS[bin - 1];
  const group = walks.filter(({ confidence }) => confidence >= low && confidence < high);
  const wrong = group.filter(({ result }) => result === 'false complete').length;
  const stated = group.reduce((sum, { confidence }) => sum + 1 - confidence, 0);
  const label = bin === 0 ? `≥ ${low}` : low === 0 ? `< ${high}` : `${low} to ${high}`;
  return [label, group.length === 0 ? '' : `${group.length}, ${wrong} wrong (${stated.toFixed(2)} stated)`];
}
