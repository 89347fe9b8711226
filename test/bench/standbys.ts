// Measures repeated pages on a primary and on its standby, through the service as a function; bundled by standby.mjs.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createService, openArchive } from '../../src/service/index.ts';
import type { Archive } from '../../src/service/store/archive.ts';
import { ASSET_URL, sampleArchive, textOf, tokenFor } from '../support/archive.ts';
import { ownCluster, standbyOf } from '../support/own-cluster.ts';
import { median } from './ingests.ts';

const LISTS = ['/v1/attachments?limit=100', '/messages?limit=100', '/v1/conversations?limit=100'];
const AT_ONCE = 8;

/** Rows of a table: a list, and milliseconds a page. */
export async function measureStandby(requests: number): Promise<Record<string, string>[]> {
  const primary = await ownCluster({ hosts: 'host all all 127.0.0.1/32 trust' });
  if (primary === undefined) return [];
  const sample = await sampleArchive({
    conversations: 300,
    messages: 2,
    attachments: 500,
    place: { url: primary.url },
  });
  // Not the sample's own service, which checks its responses.
  const serviceOf = (archive: Archive) =>
    createService(archive, { assetUrl: ASSET_URL, version: '0', worker: { wake() {} } });
  const token = await tokenFor(serviceOf(sample.archive));
  const standby = await standbyOf(primary);
  const replica = await openArchive({
    url: standby.url,
    readOnly: true,
    sleep,
    now: sample.archive.now,
    randomBytes,
  });
  try {
    const services = {
      primary: serviceOf(sample.archive),
      standby: serviceOf(replica),
      uncached: serviceOf({ ...replica, database: { ...replica.database, dataVersion: undefined } }),
    };
    const rows = [];
    for (const target of LISTS) {
      const headers = [['authorization', `Bearer ${token}`]] as const;
      const ask = async (service: (typeof services)['primary']) => {
        const response = await service({ method: 'GET', target, headers, peer: 'local', body: null });
        await textOf(response);
        if (response.status >= 300) throw new Error(`answered with ${response.status}`);
      };
      const times = { primary: [] as number[], standby: [] as number[], uncached: [] as number[] };
      for (let round = 0; round < requests / AT_ONCE; round += 1)
        for (const name of ['primary', 'standby', 'uncached'] as const) {
          const begun = performance.now();
          await Promise.all(Array.from({ length: AT_ONCE }, () => ask(services[name])));
          times[name].push((performance.now() - begun) / AT_ONCE);
        }
      const [onPrimary, onStandby, uncached] = [times.primary, times.standby, times.uncached].map(median);
      rows.push({
        list: target,
        'primary, ms': onPrimary!.toFixed(3),
        'standby, ms': onStandby!.toFixed(3),
        'speed of the primary (goal 1.0)': (onPrimary! / onStandby!).toFixed(2),
        'standby without a cache, ms': uncached!.toFixed(3),
        'its speed of the primary': (onPrimary! / uncached!).toFixed(2),
      });
    }
    return rows;
  } finally {
    await replica.close();
    await sample.close();
    await standby.close();
    await primary.close();
  }
}
