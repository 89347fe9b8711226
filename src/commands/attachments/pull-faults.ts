// The failures of the files of a pull. Where many have one cause, the first is told, and how many more there are.
import { unknownOriginIn } from '../../download/allowed-origins.ts';
import { FileLeftOut } from '../../download/download-limits.ts';
import type { UnlistedResult } from '../../download/puller.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { diskReason } from '../../disk/disk-fault.ts';
import { CHANGED_HASH } from '../../verify/verdicts.ts';

/** The failures of one pull. */
export class PullFaults {
  readonly #faults: Fault[] = [];
  /** The files beyond the first one that fail for one cause, by its words. */
  readonly #more = new Map<string, { kind: Fault['kind']; files: number }>();
  /** Whether a limit left files out. */
  isLeftOut = false;

  /** Takes a failure of a file, with its result, or of the whole pull. */
  add(fault: Fault, result?: Pick<UnlistedResult, 'isChanged'>): void {
    this.isLeftOut ||= fault instanceof FileLeftOut;
    const isChanged = result?.isChanged === true;
    const cause = isChanged
      ? `${CHANGED_HASH} than when they were downloaded`
      : result === undefined
        ? undefined
        : (diskReason(fault) ?? unknownOriginIn(fault));
    const more = cause === undefined ? undefined : this.#more.get(cause);
    if (more !== undefined) {
      more.files += 1;
      return;
    }
    if (cause !== undefined) this.#more.set(cause, { kind: fault.kind, files: 0 });
    // Before those that propose --force, which would replace files that are as they were downloaded.
    if (isChanged) this.#faults.unshift(fault);
    else this.#faults.push(fault);
  }

  /** Returns the failures to tell. */
  all(): Fault[] {
    const more = [...this.#more].flatMap(([cause, { kind, files }]) =>
      files === 0 ? [] : [new Fault(kind, `${plural(files, 'more file')}: ${cause}`)],
    );
    return [...this.#faults, ...more];
  }
}
