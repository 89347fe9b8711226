// O1: sqlmap finds no SQL injection in the service, and finds the one in a list that is vulnerable on purpose.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { sampleIn } from '../support/sample.ts';
import { serve, tokenOf, type Served } from '../support/served.ts';
import { noSqlmap, serveVulnerableList, sqlmap, type Target } from '../support/sqlmap.ts';
import { tempFolder } from '../support/temp-folder.ts';

if (noSqlmap) console.warn('no sqlmap: O1 by an independent tool is SKIPPED');

/** Where a caller's words come near a statement. The rest, at level 5, is `npm run bench sqlmap`. */
const TARGETS: (Target & { url: string })[] = [
  { url: '/v1/attachments?origin_city=lisbon&limit=5', parameter: 'origin_city' },
  { url: '/v1/conversations?limit=5&starting_after=conv_3', parameter: 'starting_after' },
  { url: '/v1/attachments?limit=5', parameter: 'limit' },
  { url: '/api/sequence/arc_reconstruction*' },
  {
    url: '/api/webhooks/ingest',
    body: '{"id":"evt_1*","type":"message.reordered","payload":{"id":"msg_1","entry":"entry_1","sequence":4}}',
  },
];

describe.skipIf(noSqlmap)('O1 sqlmap', () => {
  test('finds an injection in a vulnerable list', async () => {
    const vulnerable = await serveVulnerableList();
    expect(await sqlmap({ url: vulnerable.url, parameter: 'origin_city' })).toBe('vulnerable');
    vulnerable.close();
  });

  describe.each(['SQLite', 'PostgreSQL'])('%s', (engine) => {
    let dir: string;
    let served: Served;
    let token: string;
    const skip = engine === 'PostgreSQL' && noPostgres;
    beforeAll(async () => {
      if (skip) return;
      dir = tempFolder('sqlmap');
      const place = engine === 'SQLite' ? { dir: join(dir, 'data') } : { url: await freshUrl() };
      await sampleIn(place);
      served = await serve(dir, 'url' in place ? ['--database', place.url] : []);
      token = await tokenOf(served.base_url, served.owner);
    });
    afterAll(async () => {
      if (skip) return;
      await served.close();
    });

    test.skipIf(skip).each(TARGETS)('finds nothing in $url', async ({ url, ...target }) => {
      expect(await sqlmap({ ...target, url: served.base_url + url, token }, { engine })).toBe('not');
    });
  });
});
