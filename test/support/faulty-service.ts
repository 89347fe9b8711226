// A service over a sample archive that injects faults, called in this process; its drift log is kept in memory.
import { createService } from '../../src/service/index.ts';
import {
  createFaultPlan,
  type FaultLogEntry,
  type FaultOptions,
} from '../../src/service/fault-injection/index.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample, type SampleOptions } from './archive.ts';
import { call } from './call.ts';

/** Returns functions that make services with faults, one at a time, and close the last one. */
export function faultyServices() {
  let sample: Sample | undefined;
  const closeService = async () => {
    const last = sample;
    sample = undefined;
    await last?.close();
  };
  const faultyService = async (faults: FaultOptions, options: SampleOptions = {}) => {
    await closeService();
    const entries: FaultLogEntry[] = [];
    const log = async (entry: FaultLogEntry) => void entries.push(entry);
    sample = await sampleArchive({ conversations: 60, messages: 2, attachments: 60, ...options });
    const tested = createService(sample.archive, {
      assetUrl: ASSET_URL,
      version: '0',
      faults: createFaultPlan(sample.archive, { log, ...faults }),
    });
    const token = await tokenFor(tested);
    const get = (target: string, peer = 'local') => call(tested, target, { token, peer });
    const ids = async (target: string): Promise<string[]> =>
      ((await get(target)).json.data as { id: string }[]).map(({ id }) => id);
    return { get, ids, entries };
  };
  return { faultyService, closeService };
}
