// The small facts about an archive as a whole: whether those are there that it cannot do without.
import type { Archive } from '../store/archive.ts';
import { filesLocation } from '../store/meta-table/summary.ts';
import type { Ledger } from './findings.ts';

/** The small facts about the whole: the key that signs addresses of files, its counts, and where the files are. */
export async function checkFacts({ database }: Archive, ledger: Ledger): Promise<void> {
  const key = await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'file_key'`);
  if (key === undefined || Buffer.from(key.value, 'base64').byteLength !== 32) {
    ledger.found('engine', 'the key of file addresses is missing', 'file_key');
  }
  const counts = await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  if (counts !== undefined && !isJson(counts.value)) {
    ledger.found('engine', 'the kept counts are unreadable', 'summary');
  }
  // A folder has its files beside it.
  if (database.engine === 'postgres' && (await filesLocation(database)) === 'lost') {
    ledger.found('engine', 'where the files are kept is not known', 'files');
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
