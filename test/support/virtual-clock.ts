// A clock that stands still while work can run, and jumps to the next due moment when none can.
export class VirtualClock {
  /** Milliseconds since the clock was made. */
  now = 0;
  readonly #due: { at: number; wake: () => void }[] = [];

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      const at = this.now + ms;
      const later = this.#due.findIndex((entry) => entry.at > at);
      this.#due.splice(later === -1 ? this.#due.length : later, 0, { at, wake });
    });
  }

  /** Runs the work to its end in virtual time. Throws where it waits for something that no clock will bring. */
  async run<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const ended = work.finally(() => (over = true));
    ended.catch(() => {});
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (over) return ended;
      const next = this.#due.shift();
      if (next === undefined) throw new Error('nothing is due');
      this.now = next.at;
      next.wake();
    }
  }
}
