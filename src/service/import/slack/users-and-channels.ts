// The users and channels that a Slack export lists, as far as messages need them.
import { isObject, textAt } from '../json-value.ts';

/** `zone` is an IANA time zone, or null. */
export type SlackUser = { name: string; zone: string | null };
/** A channel, direct or group conversation. `isPrivate`: not everybody in the workspace could read it. */
export type SlackChannel = { id: string; name: string; isPrivate: boolean };

/** Returns the users of `users.json` by id, each with the display name. Skips entries without an id. */
export function usersById(entries: Iterable<unknown>): Map<string, SlackUser> {
  const users = new Map<string, SlackUser>();
  for (const entry of entries) {
    const id = textAt(entry, 'id');
    if (id !== null) users.set(id, { name: displayName(entry) ?? id, zone: textAt(entry, 'tz') });
  }
  return users;
}

function displayName(user: unknown): string | null {
  return (
    textAt(user, 'profile', 'display_name') ??
    textAt(user, 'profile', 'real_name') ??
    textAt(user, 'real_name') ??
    textAt(user, 'name')
  );
}

/**
 * Returns the channels by the name of their folder. `lists` are the entries of each list file by its name. Private
 * channels, direct messages and group messages are private.
 */
export function channelsByFolder(lists: ReadonlyMap<string, Iterable<unknown>>): Map<string, SlackChannel> {
  const channels = new Map<string, SlackChannel>();
  for (const [list, entries] of lists) {
    for (const entry of list === 'users.json' ? [] : entries) {
      const id = textAt(entry, 'id');
      if (id === null || !isObject(entry)) continue;
      // Direct messages have no name. Their folder has their id as its name.
      const name = textAt(entry, 'name') ?? id;
      const isPrivate =
        list !== 'channels.json' ||
        ['is_private', 'is_im', 'is_mpim', 'is_group'].some((flag) => entry[flag] === true);
      if (!channels.has(name)) channels.set(name, { id, name, isPrivate });
    }
  }
  return channels;
}

/** Returns the names of users and of public channels by id: what a text may show in place of an id. */
export function namesById(
  users: ReadonlyMap<string, SlackUser>,
  channels: Iterable<SlackChannel>,
): Map<string, string> {
  const open = [...channels].filter(({ isPrivate }) => !isPrivate);
  return new Map([
    ...open.map(({ id, name }) => [id, name] as const),
    ...[...users].flatMap(([id, { name }]) => (name === id ? [] : [[id, name] as const])),
  ]);
}

/** Returns the channel of a folder. A folder that no list names may have been private. */
export function channelOf(channels: ReadonlyMap<string, SlackChannel>, folder: string): SlackChannel {
  return channels.get(folder) ?? { id: folder, name: folder, isPrivate: true };
}
