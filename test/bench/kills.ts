// Counts killed walks by the place of the kill: how many runs were killed, what they left, and how many lists came out exact.
import { KILL_PLACES } from '../support/kill-point.ts';
import { openKillBench, type KilledWalk } from '../support/killed-walk.ts';

export async function measureKills(walks: number, first: number) {
  const bench = await openKillBench();
  const done: KilledWalk[] = [];
  const problems: string[] = [];
  try {
    for (let seed = first; seed < first + walks; seed++) {
      const walked = await bench.walk(seed);
      done.push(walked);
      if (walked.problem !== undefined) problems.push(`seed ${seed}: ${JSON.stringify(walked)}`);
    }
  } finally {
    await bench.close();
  }
  const rows = [...KILL_PLACES, 'all'].map((place) => {
    const of = done.filter((walked) => place === 'all' || walked.place === place);
    const killed = of.flatMap(({ runs }) => runs.filter((run) => run.killed));
    return {
      'killed at': place,
      walks: of.length,
      'runs killed': killed.length,
      'before the first window': killed.filter(({ frozen }) => frozen === 0).length,
      'frozen and not shown': killed.filter(({ frozen, shown }) => shown < frozen).length,
      'exact in the end': `${of.filter(({ problem }) => problem === undefined).length} of ${of.length}`,
    };
  });
  return { rows, problems };
}
