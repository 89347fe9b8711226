// The first rows of a list in the order that several pages show by majority: any one page may be wrong.

/** Keeps pages of the first rows. Their order is that of most pages. */
export class KnownRows {
  readonly #pages: string[][] = [];
  #ids: string[] = [];

  /** The ids in order. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Adds a page in the order of the list. A new row stands after the one before it in the page. */
  add(page: readonly string[]): void {
    const fresh = [...new Set(page)];
    this.#pages.push(fresh);
    for (const [at, id] of fresh.entries()) {
      if (this.#ids.includes(id)) continue;
      const previous = at === 0 ? -1 : this.#ids.indexOf(fresh[at - 1]!);
      if (previous >= 0) this.#ids.splice(previous + 1, 0, id);
      // In front of the next known row of the page, else at the end.
      else {
        const next = fresh.slice(at).find((other) => this.#ids.includes(other));
        this.#ids.splice(next === undefined ? this.#ids.length : this.#ids.indexOf(next), 0, id);
      }
    }
    this.#sort();
  }

  /** Swaps neighbours that most pages show in reverse, until there are none. A cycle of majorities ends it too. */
  #sort(): void {
    for (let round = 0; round < this.#ids.length; round++) {
      let isSorted = true;
      for (let at = 1; at < this.#ids.length; at++) {
        const [left, right] = [this.#ids[at - 1]!, this.#ids[at]!];
        if (this.#margin(left, right) >= 0) continue;
        this.#ids[at - 1] = right;
        this.#ids[at] = left;
        isSorted = false;
      }
      if (isSorted) return;
    }
  }

  /** Pages that show `left` before `right`, minus those that show it after. */
  #margin(left: string, right: string): number {
    let margin = 0;
    for (const page of this.#pages) {
      const [one, other] = [page.indexOf(left), page.indexOf(right)];
      if (one >= 0 && other >= 0) margin += one < other ? 1 : -1;
    }
    return margin;
  }
}
