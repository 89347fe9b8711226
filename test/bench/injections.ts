// Runs sqlmap against a service of its own and tells what it said of each target, and how long it took.
import { join } from 'node:path';
import { sampleData } from '../support/sample.ts';
import { serve, tokenOf } from '../support/served.ts';
import { serveVulnerableList, sqlmap, type Target } from '../support/sqlmap.ts';
import { tempFolder } from '../support/temp-folder.ts';

const EVENT = {
  id: 'evt_1',
  type: 'message.reordered',
  payload: { id: 'msg_1', entry: 'entry_1', sequence: 4 },
};
const TARGETS: Target[] = [
  ...[
    'origin_city=lisbon',
    'source=gateway',
    'content_type=text',
    'message_id=msg_1',
    'redacted=true',
    'limit=5',
    'starting_after=att_3',
    'ending_before=att_9',
  ].map((pair) => ({ url: `/v1/attachments?${pair}`, parameter: pair.split('=')[0]! })),
  { url: '/messages?conversation=conv_1', parameter: 'conversation' },
  { url: '/v1/conversations?starting_after=conv_3', parameter: 'starting_after' },
  { url: '/api/sequence/arc_reconstruction*' },
  { url: '/api/content/msg_1*?view=lore' },
  { url: '/v1/attachments/att_1*' },
  { url: '/api/webhooks/ingest', body: JSON.stringify(EVENT).replace('evt_1', 'evt_1*') },
  { url: '/api/webhooks/ingest', body: JSON.stringify(EVENT).replace('msg_1', 'msg_1*') },
];

export async function measureInjections(level: number): Promise<Record<string, string | number>[]> {
  const options = { level, risk: Math.min(3, level), technique: 'BEUS', seconds: 600 };
  const timed = async (target: Target, name: string) => {
    const begun = performance.now();
    const said = await sqlmap(target, options).catch(
      (error: unknown) => `not to the end (${String((error as { signal?: unknown }).signal)})`,
    );
    return { target: name, said, seconds: Math.round((performance.now() - begun) / 1000) };
  };
  const vulnerable = await serveVulnerableList();
  const rows = [await timed({ url: vulnerable.url, parameter: 'origin_city' }, 'a vulnerable list')];
  vulnerable.close();
  const dir = tempFolder('bench-sqlmap');
  await sampleData(join(dir, 'data'));
  const served = await serve(dir);
  const token = await tokenOf(served.base_url, served.owner);
  try {
    for (const target of TARGETS) {
      rows.push(
        await timed(
          { ...target, url: served.base_url + target.url, token },
          target.url + (target.body ?? ''),
        ),
      );
    }
  } finally {
    await served.close();
  }
  return rows;
}
