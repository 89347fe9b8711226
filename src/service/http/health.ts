// GET /api/health: the service and the size and state of its archive (interface 4.5, shape ours).
import type { Health } from '../../contract/health.ts';
import { ok, type Call, type Reply } from './exchange.ts';

export async function health(call: Call): Promise<Reply> {
  const { archive, options, summary } = call;
  const { conversations, messages, attachments, redacted } = summary;
  const body: Health = {
    status: 'stable',
    service: 'arx',
    version: options.version,
    time: new Date(archive.now()).toISOString(),
    asset_url: options.assetUrl,
    database: archive.database.engine,
    integrity: summary.integrity,
    drift_ratio: call.driftRatio(),
    counts: { conversations, messages, attachments, redacted },
  };
  return ok(body);
}
