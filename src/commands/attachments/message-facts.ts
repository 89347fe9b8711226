// The dates and senders of attachments: their own where a service shows some, else those of their messages.
import type { App } from '../../app.ts';
import { attachmentFacts, type AttachmentFacts } from '../../command-list/attachment-facts.ts';
import { instantOf } from '../../contract/instant-forms.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { Fault } from '../../faults.ts';
import { instants } from '../../format/views/shared-columns.ts';
import { attachmentView, messageView } from '../../format/views/index.ts';
import type { Column, View } from '../../format/views/view.ts';
import { filteredMessages } from '../messages/message-list.ts';
import { exactRowsOf } from '../lists/exact-rows.ts';
import { localTests } from '../lists/row-listing.ts';
import { instantOfColumn, valueOfColumn } from '../lists/row-tests.ts';
import { withProgress } from '../lists/with-progress.ts';

/** What rows of another service may show themselves. Those of our service show neither. */
const OWN_DATE: Column<Attachment> = {
  name: 'date',
  of: () => undefined,
  instead: instants(
    'date',
    'created_at',
    'created',
    'uploaded_at',
    'added_at',
    'sent_at',
    'timestamp',
    'modified_at',
  ),
};
const OWN_SENDER: Column<Attachment> = {
  name: 'from',
  of: () => undefined,
  instead: {
    names: ['from', 'sender', 'author', 'uploaded_by', 'uploader', 'from_name', 'from_address', 'created_by'],
    fits: (value) => typeof value === 'string' && value !== '',
  },
};
const ownDateOf = valueOfColumn<Attachment>({ columns: [OWN_DATE] }, 'date');
const ownSenderOf = valueOfColumn<Attachment>({ columns: [OWN_SENDER] }, 'from');

/** Returns what finds the dates and senders that the options are about, or that are selected as fields; undefined for none. */
export function factsFor(
  given: Readonly<Record<string, unknown>>,
  app: App,
  isSelected: (fact: keyof AttachmentFacts) => boolean = () => false,
): MessageFacts | undefined {
  const needed = attachmentFacts(given, isSelected);
  return needed.date || needed.from ? new MessageFacts(needed, app) : undefined;
}

/** Finds the dates and senders of attachments. The list of messages is read once, when the first row needs it. */
export class MessageFacts {
  readonly #app: App;
  readonly #needed: AttachmentFacts;
  readonly #dates = new Map<string, number>();
  readonly #senders = new Map<string, string>();
  #reading: Promise<void> | undefined;
  #fault: Fault | undefined;

  constructor(needed: AttachmentFacts, app: App) {
    this.#needed = needed;
    this.#app = app;
  }

  /** Makes the facts of these rows known. Throws only where the run was interrupted. */
  async add(rows: readonly Attachment[]): Promise<void> {
    const { date, from } = this.#needed;
    const isMissing = rows.some(
      (row) =>
        typeof row.message_id === 'string' &&
        ((date && instantOf(ownDateOf(row)) === undefined) || (from && ownSenderOf(row) === undefined)),
    );
    if (isMissing) await (this.#reading ??= this.#readMessages());
  }

  /** Returns the date of a row that was added, in milliseconds since 1970; undefined where it is not shown. */
  readonly dateOf = (row: Attachment): number | undefined =>
    instantOf(ownDateOf(row)) ?? this.#dates.get(row.message_id ?? '');

  /** Returns the sender of a row that was added; undefined where the row or its message does not show one. */
  readonly senderOf = (row: Attachment): string | number | undefined =>
    ownSenderOf(row) ?? this.#senders.get(row.message_id ?? '');

  /** Returns the columns of attachments, and those of the needed facts as the last ones. */
  get view(): View<Attachment> {
    const date: Column<Attachment> = { name: 'date', of: this.#instantOf, instant: this.#instantOf };
    const from: Column<Attachment> = { name: 'from', of: this.senderOf, minColumns: 12 };
    const added = [...(this.#needed.from ? [from] : []), ...(this.#needed.date ? [date] : [])];
    return { ...attachmentView, columns: [...attachmentView.columns, ...added] };
  }

  /** Returns a row that was added with the needed facts as fields. A field that the service sent is kept. */
  readonly withFacts = (row: Attachment): Attachment => ({
    ...(this.#needed.from ? { from: this.senderOf(row) ?? null } : {}),
    ...(this.#needed.date ? { date: this.#instantOf(row) ?? null } : {}),
    ...row,
  });

  /** Returns, after the last row, why facts may be missing. */
  fault(): Fault | undefined {
    return this.#fault;
  }

  readonly #instantOf = (row: Attachment): string | undefined => {
    const date = this.dateOf(row);
    return date === undefined ? undefined : new Date(date).toISOString();
  };

  async #readMessages(): Promise<void> {
    const app = this.#app;
    const { date: isDated, from: isSent } = this.#needed;
    const what = [...(isDated ? ['dates'] : []), ...(isSent ? ['senders'] : [])].join(' and ');
    const list = filteredMessages(
      {},
      await app.client(),
      app,
      localTests([], 'messages', app, ' of messages'),
    );
    const listing = exactRowsOf(list, app, {}, list.sayCost);
    const dateOf = instantOfColumn(messageView, 'date');
    const senderOf = valueOfColumn(messageView, 'from');
    try {
      for await (const row of withProgress(listing.rows, `reading ${what} of`, 'messages', app)) {
        // Our service says how many files a message has; others may not.
        if (row.attachments === 0) continue;
        const date = isDated ? dateOf(row) : undefined;
        const sender = isSent ? senderOf(row) : undefined;
        if (date !== undefined) this.#dates.set(row.id, date);
        if (sender !== undefined) this.#senders.set(row.id, String(sender));
      }
      this.#fault = listing.fault();
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
      const message = `files have the ${what} of their messages, which cannot be listed: ${error.message}`;
      this.#fault = new Fault(error.kind === 'not_found' ? 'partial' : error.kind, message, error.detail);
    }
  }
}
