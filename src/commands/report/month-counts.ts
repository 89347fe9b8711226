// Counts messages by the month of their date.
import type { ArchiveReport } from '../../contract/reports/whole-archive.ts';

/** Counts of messages by month, in UTC. */
export class MonthCounts {
  /** Months since the year 0 → messages. */
  readonly #months = new Map<number, number>();
  #undated = 0;

  /** Takes the date of a message in milliseconds since the epoch. One outside of the years 1 to 9999 counts as none. */
  add(instant: number | undefined): void {
    const date = new Date(instant ?? Number.NaN);
    const year = date.getUTCFullYear();
    if (!(year >= 1 && year <= 9999)) {
      this.#undated += 1;
      return;
    }
    const month = year * 12 + date.getUTCMonth();
    this.#months.set(month, (this.#months.get(month) ?? 0) + 1);
  }

  report(): Pick<ArchiveReport['messages'], 'undated' | 'by_month'> {
    const months = [...this.#months].toSorted(([a], [b]) => a - b);
    return {
      undated: this.#undated,
      by_month: months.map(([month, messages]) => ({ month: monthName(month), messages })),
    };
  }
}

function monthName(month: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0');
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}`;
}
