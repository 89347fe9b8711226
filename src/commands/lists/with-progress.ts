// Rows that a command reads to the end before it prints anything, with a progress line meanwhile.
import type { App } from '../../app.ts';

/** Yields the rows and shows how many there were so far: `label` 1,200 `unit`. `total`: how many there will be, where that is known. */
export async function* withProgress<Row>(
  rows: AsyncIterable<Row>,
  label: string,
  unit: string,
  app: Pick<App, 'progress'>,
  total?: number,
): AsyncGenerator<Row> {
  const progress = app.progress();
  let done = 0;
  try {
    for await (const row of rows) {
      progress.update({ label, done: ++done, total, unit });
      yield row;
    }
  } finally {
    await progress.end();
  }
}
