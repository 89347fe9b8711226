// Errors for a place that contains no archive which can be used.

/** What is there is not an archive, or a damaged one (`isDamaged`). The message says why. */
export class UnusableArchive extends Error {
  readonly isDamaged: boolean;

  constructor(why: string, { isDamaged, cause }: { isDamaged: boolean; cause?: unknown }) {
    super(why, { cause });
    this.isDamaged = isDamaged;
  }
}

/** It is a copy of another archive that is not complete. */
export class UnfinishedCopy extends UnusableArchive {}

/** There is no archive where one should be read. */
export class NoArchive extends Error {}

/** The schema that the address names does not exist. */
export class NoSchema extends NoArchive {}
