// The users, channels, recipients, reactions and attachments that a Zulip export lists, as far as messages need them.
import { withoutSecretAddresses } from '../chat-secrets.ts';
import { countAt, numberAt, objectsOf, textAt } from '../json-value.ts';

/** `zone` is an IANA time zone, or null. */
export type ZulipUser = { name: string; zone: string | null; isBot: boolean };
/** Where messages go: a channel, or the members of direct messages, of which a personal recipient names only one. */
export type Recipient =
  | { type: 'channel'; id: number; name: string; isPublic: boolean }
  | { type: 'direct'; members: number[] }
  | { type: 'personal'; user: number };
/** A reaction as it is stored with a message. */
export type Reaction = { user: number | null; emoji_name: string };
/** A file that messages name. `path` is that of its address: `/user_uploads/<path>`. */
export type ListedFile = { path: string; filename: string; type: string | null; bytes: number | null };

/** What `realm.json` and the other lists say. */
export type Realm = {
  /** Begins the keys of messages. The same for each export of one organization. */
  key: string;
  users: ReadonlyMap<number, ZulipUser>;
  recipients: ReadonlyMap<number, Recipient>;
  reactions: Map<number, Reaction[]>;
  /** By message. */
  files: ReadonlyMap<number, ListedFile[]>;
};

/** The lists of a file by their names. */
export type Lists = ReadonlyMap<string, Iterable<unknown>>;

const USER_TABLES = ['zerver_userprofile', 'zerver_userprofile_mirrordummy', 'zerver_userprofile_crossrealm'];
const PERSONAL = 1;
const CHANNEL = 2;
const GROUP = 3;

/** Returns what the lists say. Each is empty where it could not be read; entries that are not valid are left out. */
export function realmOf(realm: Lists, attachments: Lists, records: Iterable<unknown>): Realm {
  const users = new Map<number, ZulipUser>();
  for (const table of USER_TABLES) {
    for (const user of objectsOf(realm.get(table))) {
      const id = countAt(user, 'id');
      const name = textAt(user, 'full_name') ?? textAt(user, 'email');
      if (id === null || name === null) continue;
      users.set(id, { name, zone: textAt(user, 'timezone'), isBot: user['is_bot'] === true });
    }
  }
  const reactions = new Map<number, Reaction[]>();
  addReactions(reactions, realm);
  return {
    key: keyOf(realm),
    users,
    recipients: recipientsOf(realm),
    reactions,
    files: filesOf(attachments, records),
  };
}

/** Adds the reactions of a list to those of their messages. */
export function addReactions(reactions: Map<number, Reaction[]>, lists: Lists): void {
  for (const reaction of objectsOf(lists.get('zerver_reaction'))) {
    const message = countAt(reaction, 'message');
    const name = textAt(reaction, 'emoji_name');
    if (message === null || name === null) continue;
    const known = reactions.get(message) ?? [];
    known.push({ user: countAt(reaction, 'user_profile'), emoji_name: name });
    reactions.set(message, known);
  }
}

/** The identity of an organization: other servers may have one of the same name. */
function keyOf(lists: Lists): string {
  const [realm] = objectsOf(lists.get('zerver_realm'));
  return (
    textAt(realm, 'uuid') ??
    [textAt(realm, 'string_id') ?? textAt(realm, 'domain') ?? '', numberAt(realm, 'date_created') ?? ''].join(
      '@',
    )
  );
}

function recipientsOf(lists: Lists): Map<number, Recipient> {
  const channels = new Map<number, Recipient>();
  for (const channel of objectsOf(lists.get('zerver_stream'))) {
    const id = countAt(channel, 'id');
    if (id === null) continue;
    const isPublic = channel['invite_only'] === false || channel['is_web_public'] === true;
    channels.set(id, {
      type: 'channel',
      id,
      name: withoutSecretAddresses(textAt(channel, 'name') ?? String(id)),
      isPublic,
    });
  }
  const members = new Map<number, number[]>();
  for (const subscription of objectsOf(lists.get('zerver_subscription'))) {
    const recipient = countAt(subscription, 'recipient');
    const user = countAt(subscription, 'user_profile');
    if (recipient === null || user === null) continue;
    const known = members.get(recipient) ?? [];
    known.push(user);
    members.set(recipient, known);
  }
  const recipients = new Map<number, Recipient>();
  for (const recipient of objectsOf(lists.get('zerver_recipient'))) {
    const id = countAt(recipient, 'id');
    const target = countAt(recipient, 'type_id');
    const type = countAt(recipient, 'type');
    if (id === null || target === null) continue;
    const channel = channels.get(target) ?? {
      type: 'channel',
      id: target,
      name: String(target),
      isPublic: false,
    };
    if (type === CHANNEL) recipients.set(id, channel);
    if (type === PERSONAL) recipients.set(id, { type: 'personal', user: target });
    if (type === GROUP)
      recipients.set(id, { type: 'direct', members: [...new Set(members.get(id))].sort((a, b) => a - b) });
  }
  return recipients;
}

function filesOf(attachments: Lists, records: Iterable<unknown>): Map<number, ListedFile[]> {
  const types = new Map<string, string | null>();
  for (const record of objectsOf(records)) {
    const path = textAt(record, 's3_path') ?? textAt(record, 'path');
    if (path !== null) types.set(path, textAt(record, 'content_type'));
  }
  const files = new Map<number, ListedFile[]>();
  for (const attachment of objectsOf(attachments.get('zerver_attachment'))) {
    const path = textAt(attachment, 'path_id');
    const { messages } = attachment;
    if (path === null || !Array.isArray(messages)) continue;
    const file: ListedFile = {
      path,
      filename: textAt(attachment, 'file_name') ?? fileNameOf(path),
      type: textAt(attachment, 'content_type') ?? types.get(path) ?? null,
      bytes: countAt(attachment, 'size'),
    };
    for (const message of new Set(messages)) {
      if (typeof message !== 'number') continue;
      const known = files.get(message) ?? [];
      known.push(file);
      files.set(message, known);
    }
  }
  return files;
}

/** Returns the last part of the path of an upload. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || 'file';
}
