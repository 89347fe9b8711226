// Pages of the embedded archive after start: the client through the in-process transport, 100 attachments a page.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench() {
  await withBundle('pages.ts', async ({ measurePages }) => {
    table(
      'A page of 100 attachments through the client, embedded, 20,000 rows, medians of 200',
      await measurePages(),
    );
  });
}
