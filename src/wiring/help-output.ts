// Writes help to standard output: what is longer than the screen of a terminal goes to the pager.
import { loadSettings, type Settings } from '../config/settings.ts';
import type { World } from '../world.ts';
import { createPaging } from './paging.ts';

/** Writes the text of a help. Settings that cannot be read do not hinder it. */
export async function writeHelp(text: string, world: World): Promise<void> {
  const { argv, stdout } = world;
  if (!stdout.isTTY || text.split('\n').length <= (stdout.rows ?? 0)) return stdout.write(text);
  const paging = createPaging({
    world,
    settings: pagerSetting(world),
    isInteractive: !argv.includes('--no-pager') && !argv.includes('--no-input'),
    stdout,
    notice: () => {},
    pause: async () => {},
  });
  await paging.show((sink) => sink.write(text));
}

function pagerSetting(world: World): Pick<Settings, 'pager'> {
  try {
    return loadSettings({}, world, { ...world, notice: () => {} }).settings;
  } catch {
    return { pager: { value: undefined, origin: 'default' } };
  }
}
