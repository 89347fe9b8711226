// The Fault of a frozen walk that did not reach the end of its list.
import type { App } from '../../app.ts';
import { tokenOrigin } from '../../config/session.ts';
import type { FrozenWalk } from '../../contract/reports/walk.ts';
import { Fault, type FaultDetail } from '../../faults.ts';
import { shellLine } from '../../shell-words.ts';

/**
 * Returns the Fault. `dir`: the folder of the walk as it was named. With `walk` the hint names the service of the walk where that is
 * not the one in use.
 */
export function unfinishedWalkFault(
  dir: string,
  { settings }: Pick<App, 'settings'>,
  { walk, ...detail }: FaultDetail & { walk?: Subject } = {},
): Fault {
  const service = walk === undefined ? [] : serviceWords(walk, tokenOrigin(settings));
  const isGeneric = walk?.list.startsWith('rows ') === true;
  const which = isGeneric ? shellLine(['arx', 'walk', walk.base_url]) : 'that walk';
  return new Fault('partial', `${dir}: the walk did not reach the end of the list`, {
    hint: `run ${which} again with ${shellLine([...service, '--freeze', dir, '--resume'])}`,
    ...detail,
  });
}

type Subject = Pick<FrozenWalk, 'base_url' | 'list'>;

/** Returns the options that name the service of a walk. `arx walk` names its list by an argument. */
function serviceWords({ base_url, list }: Subject, inUse: string): string[] {
  if (list.startsWith('rows ') || base_url === inUse) return [];
  return base_url.startsWith('local:') ? ['--local'] : ['--base-url', base_url];
}
