// The writer of `arx import --dry-run`: counts what an import would store, and stores nothing.
import { rowsWithoutBytes } from '../store/additions/attachment-rows.ts';
import {
  hasAttachmentBytes,
  knownOf,
  tierChanges,
  type AddedCounts,
  type MessageWriter,
} from '../store/additions/message-batches.ts';
import type { Statements } from '../store/sql/database.ts';
import { storableMessage } from '../records/storable-text.ts';

/** Returns the writer. `database`: the archive to compare with; undefined: an empty one. */
export function createDryRunWriter(database: Statements | undefined): MessageWriter {
  /** Hashes of messages that would be stored by now, each with its number of attachments. */
  const added = new Map<string, number>();
  /** Numbers of messages that would have another tier by now. */
  const changed = new Set<number>();
  const known: MessageWriter['known'] = async (hashes) => {
    const all = [...hashes];
    const found = database === undefined ? new Map<string, number>() : await knownOf(database, all);
    for (const hash of all) {
      const attachments = added.get(hash);
      if (attachments !== undefined) found.set(hash, attachments);
    }
    return found;
  };
  return {
    known,
    async add(batch) {
      const before = await known(batch.map(({ sha256 }) => sha256));
      const counts: AddedCounts = {
        messages: { stored: 0, known: 0 },
        attachments: { stored: 0, known: 0 },
      };
      for (const { sha256, attachments } of batch) {
        const outcome = before.has(sha256) || added.has(sha256) ? 'known' : 'stored';
        counts.messages[outcome] += 1;
        counts.attachments[outcome] += attachments.length;
        added.set(sha256, attachments.length);
      }
      return counts;
    },
    async complete(messages) {
      if (database === undefined) return 0;
      return (await rowsWithoutBytes(database, messages.filter(hasAttachmentBytes).map(storableMessage)))
        .length;
    },
    nameMentions: async () => {},
    async setTiers(messages) {
      if (database === undefined) return [];
      // A message that is read again would have its tier by then.
      const changes = (await tierChanges(database, messages)).filter(({ n }) => !changed.has(n));
      for (const { n } of changes) changed.add(n);
      return changes;
    },
  };
}
