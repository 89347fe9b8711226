// The Fault of a file whose bytes are not those of its row.
import { Fault, type FaultDetail } from '../faults.ts';

/** Fault 'integrity': the bytes that arrived are not those of the file. `actual` is absent where they were not read to their end. */
export class WrongContent extends Fault {
  readonly actual: { sha256: string; bytes: number } | undefined;

  constructor(message: string, actual: WrongContent['actual'], detail: FaultDetail) {
    super('integrity', message, detail);
    this.actual = actual;
  }
}
