// P11: events are neither acknowledged nor lost while PostgreSQL is down.
import { describe, expect, test } from 'vitest';
import { sampleArchive, tokenFor } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { effectsOf, moved } from '../support/event.ts';
import { ownCluster } from '../support/own-cluster.ts';
import { noPostgres } from '../support/postgres.ts';

describe.skipIf(noPostgres)('P11 a PostgreSQL', () => {
  test('that is gone: no acknowledgement while it is, and again when it is back', async () => {
    const cluster = (await ownCluster())!;
    const own = await sampleArchive({
      conversations: 3,
      messages: 3,
      attachments: 0,
      place: { url: cluster.url },
    });
    try {
      const bearer = await tokenFor(own.service, 'mirror');
      const post = (body: unknown) => call(own.service, '/api/webhooks/ingest', { token: bearer, body });
      expect((await post(moved('e1', 1, 50))).status).toBe(200);
      await cluster.stop();
      const gone = await post(moved('e2', 2, 60));
      expect(gone.json.error.code).toBe('store_unavailable');
      expect(gone.headers['retry-after']).toBe('1');
      await cluster.start();
      expect((await post(moved('e2', 2, 60))).status).toBe(200);
      expect(await effectsOf(own.service, bearer)).toEqual({ e1: 'applied', e2: 'applied' });
    } finally {
      await own.close();
      await cluster.close();
    }
  });
});
