// Who and where: the people and channels that a Slack export lists, as far as messages need them.
import type { Tier } from '../../../contract/token.ts';

export type SlackPerson = { name: string; zone: string | null };
export type SlackChannel = { id: string; name: string; tier: Tier };

/** A member of an object as text, null where it is none or empty. */
export function textOf(value: unknown, ...path: string[]): string | null {
  const found = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
  return typeof found === 'string' && found !== '' ? found : null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** People by their id. The name is the one they chose to be shown with; the zone is an IANA name. */
export function peopleOf(users: readonly unknown[]): Map<string, SlackPerson> {
  const people = new Map<string, SlackPerson>();
  for (const user of users) {
    const id = textOf(user, 'id');
    if (id !== null) people.set(id, { name: personName(user) ?? id, zone: textOf(user, 'tz') });
  }
  return people;
}

/** Of a user of the list, whose names lie in `profile`. */
function personName(user: unknown): string | null {
  return (
    textOf(user, 'profile', 'display_name') ??
    textOf(user, 'profile', 'real_name') ??
    textOf(user, 'real_name') ??
    textOf(user, 'name')
  );
}

/**
 * Channels by the name of their folder. Public channels are for external observers, all others (private channels,
 * direct messages and groups of them) for internal ones.
 */
export function channelsOf(lists: ReadonlyMap<string, readonly unknown[]>): Map<string, SlackChannel> {
  const channels = new Map<string, SlackChannel>();
  for (const [list, entries] of lists) {
    for (const entry of list === 'users.json' ? [] : entries) {
      const id = textOf(entry, 'id');
      if (id === null || !isObject(entry)) continue;
      // Direct messages have no name; their folder is called by their id.
      const name = textOf(entry, 'name') ?? id;
      const hidden = ['is_private', 'is_im', 'is_mpim', 'is_group'].some((flag) => entry[flag] === true);
      const tier = list === 'channels.json' && !hidden ? 'external' : 'internal';
      if (!channels.has(name)) channels.set(name, { id, name, tier });
    }
  }
  return channels;
}

/** A folder that no list names may have been private: it is kept from external observers, and its name is its id. */
export function channelOf(channels: ReadonlyMap<string, SlackChannel>, folder: string): SlackChannel {
  return channels.get(folder) ?? { id: folder, name: folder, tier: 'internal' };
}
