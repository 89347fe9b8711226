// What the forms of an exported thread have in common.
import type { ReadPart } from '../contract/reports/reading.ts';

/** What stands above the messages. `doubts`: why these may not be all messages. */
export type ThreadHead = { title: string; facts: string[]; doubts: string[] };

/** How messages are shown. */
export type ThreadStyle = {
  /** The time zone of dates; undefined: that of this machine. */
  timeZone: string | undefined;
  /** Returns where the file of a part was saved, as a relative address; undefined where it was not. */
  linkOf(part: ReadPart): string | undefined;
  /** Returns the picture of a part as a `data:` address; undefined where it is not shown. */
  pictureOf(part: ReadPart): string | undefined;
};
