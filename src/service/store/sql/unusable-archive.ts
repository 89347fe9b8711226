// Errors for a place that contains no archive which can be used.

/** What is there is not an archive, or a damaged one (`isDamaged`). The message says why, and `hint` what to do. */
export class UnusableArchive extends Error {
  readonly isDamaged: boolean;
  readonly hint: string | undefined;

  constructor(
    why: string,
    { isDamaged, hint, cause }: { isDamaged: boolean; hint?: string | undefined; cause?: unknown },
  ) {
    super(why, { cause });
    this.isDamaged = isDamaged;
    this.hint = hint;
  }
}

/** It is a copy of another archive that is not complete. `isMoved`: only the last step of a move is missing. */
export class UnfinishedCopy extends UnusableArchive {
  readonly isMoved: boolean;

  constructor(why: string, { isMoved }: { isMoved: boolean }) {
    super(why, { isDamaged: false });
    this.isMoved = isMoved;
  }
}

/** There is no archive where one should be read. */
export class NoArchive extends Error {}

/** The schema that the address names does not exist. */
export class NoSchema extends NoArchive {}
