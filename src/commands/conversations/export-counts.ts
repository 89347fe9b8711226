// What an export of a conversation has written so far.

/** Counts of messages and files. */
export type ExportCounts = {
  messages: number;
  /** Messages that are no stored mails: mails were made of them. */
  made: number;
  /** Messages that could not be read, or not as they are stored: they are named with the reason. */
  unreadable: number;
  /** Mails whose last line has no end; an mbox gives them one, so their hash is another one there. */
  withoutLineEnd: number;
  /** Files that were written, beside the document or inside the mails of an mbox; and that can be had and were left out or could not be read. */
  files: number;
  filesLeftOut: number;
  /** Files that can be had and are only named, as one file was asked for and not a folder. */
  filesNamed: number;
  /** Files whose bytes are withheld or absent. */
  unavailable: number;
};

/** Returns counts of nothing. */
export const noCounts = (): ExportCounts => ({
  messages: 0,
  made: 0,
  unreadable: 0,
  withoutLineEnd: 0,
  files: 0,
  filesLeftOut: 0,
  filesNamed: 0,
  unavailable: 0,
});
