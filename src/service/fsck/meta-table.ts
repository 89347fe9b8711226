// Checks the values of the table `meta`: the file key, the stored counts and the location of the files.
import { isJson } from '../../contract/json-text.ts';
import type { Archive } from '../store/archive.ts';
import { filesLocation } from '../store/meta-table/files-location.ts';
import type { Findings } from './findings.ts';

const FILE_KEY_BYTES = 32;

/** Checks that the values are present and readable. */
export async function checkMetaTable({ database }: Archive, findings: Findings): Promise<void> {
  const key = await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'file_key'`);
  if (key === undefined || Buffer.from(key.value, 'base64').byteLength !== FILE_KEY_BYTES) {
    findings.add('engine', 'the key that signs file addresses is missing', 'file_key');
  }
  const counts = await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  if (counts !== undefined && !isJson(counts.value)) {
    findings.add('engine', 'the stored counts are unreadable', 'summary');
  }
  // SQLite has no such value: its files are always in the folder beside the database.
  if (database.engine === 'postgres' && (await filesLocation(database)) === 'lost') {
    findings.add('engine', 'the location of the files is not recorded', 'files');
  }
}
