// Why what was found where an archive should be cannot be used as one, in our words.

/** Something else than an archive that can be used; `isDamaged` where it is one that lost a part. The message says which. */
export class UnusableArchive extends Error {
  readonly isDamaged: boolean;

  constructor(why: string, { isDamaged, cause }: { isDamaged: boolean; cause?: unknown }) {
    super(why, { cause });
    this.isDamaged = isDamaged;
  }
}

/** Where an archive was to be read there is none. */
export class NoArchive extends Error {}
