// The dates of attachments: their own where a service shows some, else those of their messages.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { Fault } from '../../faults.ts';
import { instants } from '../../format/views/shared-columns.ts';
import { attachmentView, messageView } from '../../format/views/index.ts';
import type { Column, View } from '../../format/views/view.ts';
import { filteredMessages } from '../messages/message-list.ts';
import { exactRowsOf } from '../exact-rows.ts';
import { localTests } from '../row-listing.ts';
import { instantOf, instantOfColumn, valueOfColumn } from '../row-tests.ts';
import { withProgress } from '../with-progress.ts';

/** A date that a row of another service shows. Those of our service show none. */
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
const ownDateOf = valueOfColumn<Attachment>({ columns: [OWN_DATE] }, 'date');

/** Finds the dates of attachments. The list of messages is read once, when the first row needs it. */
export class AttachmentDates {
  readonly #app: App;
  readonly #ofMessages = new Map<string, number>();
  #reading: Promise<void> | undefined;
  #fault: Fault | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  /** Makes the dates of these rows known. Throws only where the run was interrupted. */
  async add(rows: readonly Attachment[]): Promise<void> {
    const isMissing = rows.some(
      (row) => typeof row.message_id === 'string' && instantOf(ownDateOf(row)) === undefined,
    );
    if (isMissing) await (this.#reading ??= this.#readMessages());
  }

  /** Returns the date of a row that was added, in milliseconds since 1970; undefined where it is not shown. */
  readonly of = (row: Attachment): number | undefined =>
    instantOf(ownDateOf(row)) ?? this.#ofMessages.get(row.message_id ?? '');

  /** Returns the columns of attachments, and the date as the last one. */
  get view(): View<Attachment> {
    const instant = (row: Attachment): string | undefined => {
      const date = this.of(row);
      return date === undefined ? undefined : new Date(date).toISOString();
    };
    const date: Column<Attachment> = {
      name: 'date',
      of: instant,
      instant,
    };
    return { ...attachmentView, columns: [...attachmentView.columns, date] };
  }

  /** Returns, after the last row, why dates may be missing. */
  fault(): Fault | undefined {
    return this.#fault;
  }

  async #readMessages(): Promise<void> {
    const app = this.#app;
    const list = filteredMessages(
      {},
      await app.client(),
      app,
      localTests([], 'messages', app, ' of messages'),
    );
    const listing = exactRowsOf(list, app, {}, list.sayCost);
    const dateOf = instantOfColumn(messageView, 'date');
    try {
      for await (const row of withProgress(listing.rows, 'reading dates of', 'messages', app)) {
        // Our service says how many files a message has; others may not.
        const date = row.attachments === 0 ? undefined : dateOf(row);
        if (date !== undefined) this.#ofMessages.set(row.id, date);
      }
      this.#fault = listing.fault();
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
      const message = `files have the dates of their messages, which cannot be listed: ${error.message}`;
      this.#fault = new Fault(error.kind === 'not_found' ? 'partial' : error.kind, message, error.detail);
    }
  }
}
