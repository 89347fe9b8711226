// The line about the archive in use, which ends the overview that `arx` alone prints.
import { loadSettings } from '../config/settings.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { escapeText } from '../format/terminal/escape.ts';
import { wrapMessage } from '../format/terminal/wrap.ts';
import type { World } from '../world.ts';
import { openLocalArchive } from './local-archive.ts';
import { noArchiveText } from './no-archive.ts';
import { openTokens } from './tokens.ts';

/**
 * Returns what the commands of this user read: an address, or the local archive with its size, in lines that fit the terminal. Sends
 * no request, creates nothing and never throws: settings or an archive that cannot be read are named with the command that explains
 * them.
 */
export async function archiveInUse(world: World): Promise<string> {
  return wrapMessage(escapeText(await textOf(world)), world.stdout.columns).join('\n');
}

async function textOf(world: World): Promise<string> {
  try {
    const storeWorld = { ...world, notice: () => {} };
    const { settings, directories } = loadSettings({}, world, storeWorld);
    const { base_url: base, profile } = settings;
    if (base.value !== undefined)
      return `Archive in use: ${base.value} (profile ${profile.value}); arx doctor examines it`;
    const local = await localArchive(directories.data, world);
    if (local !== undefined) return local;
    const { token_store: store } = settings;
    const { tokens } = await openTokens(store.value, directories.config, storeWorld, world);
    const none = await noArchiveText({ settings, tokens });
    return none.replace(/^n/, 'N');
  } catch (error) {
    const why = error instanceof Fault ? error.message : 'unexpected error';
    return `Archive in use: ${why}; arx doctor explains`;
  }
}

/** Returns the line about the local archive, undefined where it has no messages. */
async function localArchive(dir: string, world: World): Promise<string | undefined> {
  const archive = await openLocalArchive({ dir, readOnly: true }, world).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'not_found') return undefined;
    throw error;
  });
  if (archive === undefined) return undefined;
  try {
    const { summariesOf } = await import('../service/index.ts');
    const { messages, conversations, attachments } = (await summariesOf(archive)).internal;
    if (messages === 0) return undefined;
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
