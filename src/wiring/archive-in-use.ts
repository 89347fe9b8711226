// The line about the archive in use, which ends the overview that `arx` alone prints.
import { loadSettings } from '../config/settings.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { escapeText } from '../format/terminal/escape.ts';
import type { World } from '../world.ts';
import { openLocalArchive } from './local-archive.ts';
import { NO_ARCHIVE } from './no-archive.ts';

/**
 * Returns what the commands of this user read: an address, or the local archive with its size. Sends no request, creates
 * nothing and never throws: settings or an archive that cannot be read are named with the command that explains them.
 */
export async function archiveInUse(world: World): Promise<string> {
  try {
    const { settings, directories } = loadSettings({}, world, { ...world, notice: () => {} });
    const { base_url: base, profile } = settings;
    if (base.value !== undefined)
      return escapeText(`Archive in use: ${base.value} (profile ${profile.value}); arx doctor examines it`);
    return escapeText(await localArchive(directories.data, world));
  } catch (error) {
    const why = error instanceof Fault ? error.message : 'unexpected error';
    return escapeText(`Archive in use: ${why}; arx doctor explains`);
  }
}

async function localArchive(dir: string, world: World): Promise<string> {
  const archive = await openLocalArchive({ dir, readOnly: true }, world).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'not_found') return undefined;
    throw error;
  });
  const none = NO_ARCHIVE.replace(/^n/, 'N');
  if (archive === undefined) return none;
  try {
    const { summariesOf } = await import('../service/index.ts');
    const { messages, conversations, attachments } = (await summariesOf(archive)).internal;
    if (messages === 0) return none;
    const size = [
      plural(messages, 'message'),
      plural(conversations, 'conversation'),
      plural(attachments, 'file'),
    ];
    return `Archive in use: ${dir} (${size.join(', ')})`;
  } finally {
    await archive.close();
  }
}
