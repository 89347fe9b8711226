// Notices of one kind, of which an archive may cause thousands: the first are said, then how many more there were.

/** Said one by one. One more is said too, in place of the line that would count it. */
const MOST = 10;

export type Notices = {
  say(text: string): void;
  /** To be called at last. `more`: what follows `and 12 more `. */
  end(more: string): void;
};

export function fewNotices(notice: (text: string) => void): Notices {
  let said = 0;
  let last = '';
  return {
    say: (text) => {
      said += 1;
      if (said <= MOST) notice(text);
      else last = text;
    },
    end: (more) => {
      const left = said - MOST;
      if (left === 1) notice(last);
      if (left > 1) notice(`and ${left} more ${more}`);
    },
  };
}
