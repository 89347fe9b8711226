// Notices of one kind that an archive may cause by the thousands: the first ten are shown, the others are counted.

/** If there is only one more, it is shown in place of the line that would count it. */
const MAX_NOTICES = 10;

/** Notices of one kind. After the first ten they are counted, not shown. */
export type LimitedNotices = {
  add(text: string): void;
  /** Must be called at last. `what` follows `and 12 more `. */
  end(what: string): void;
};

/** Returns notices that are shown by `notice`, at most {@link MAX_NOTICES} one by one. */
export function limitedNotices(notice: (text: string) => void): LimitedNotices {
  let count = 0;
  let last = '';
  return {
    add: (text) => {
      count += 1;
      if (count <= MAX_NOTICES) notice(text);
      else last = text;
    },
    end: (what) => {
      const hidden = count - MAX_NOTICES;
      if (hidden === 1) notice(last);
      if (hidden > 1) notice(`and ${hidden} more ${what}`);
    },
  };
}
