// Counts the rows that a service lists with something else than a SHA-256 for their file.
import type { App } from '../../app.ts';
import { safeText } from '../../client/safe-text.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { hasUnusableHash } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { formatCount } from '../../format/numbers.ts';
import { idArgument } from '../../shell-words.ts';

/** Rows without a usable hash. */
export class UnusableHashes {
  #first: string | undefined;
  #count = 0;

  /** Takes a row that is shown. */
  add(row: Attachment): void {
    if (!hasUnusableHash(row)) return;
    this.#first ??= row.id;
    this.#count += 1;
  }

  /** Fails the run with Fault 'protocol' if there was such a row. */
  fail(app: Pick<App, 'addFault'>): void {
    if (this.#first === undefined) return;
    const id = this.#first;
    const others = this.#count === 1 ? '' : `, and those of ${formatCount(this.#count - 1)} more`;
    const text = `the sha256 of ${safeText(id, 40)}${others} cannot be one`;
    app.addFault(
      new Fault('protocol', text, { hint: ({ arx }) => `${arx} attachments show ${idArgument(id)}` }),
    );
  }
}
