// The archive that `arx demo` makes, in a folder or a database.
import { tmpdir } from 'node:os';
import { openArchive, type ArchiveLocation } from '../../src/service/index.ts';
import { importItems } from '../../src/service/import/index.ts';
import { sampleItems } from '../../src/service/sample/index.ts';
import { fakeWorld } from './fake-world.ts';

export function sampleData(dir: string): Promise<void> {
  return sampleIn({ dir });
}

export async function sampleIn(place: ArchiveLocation): Promise<void> {
  const { now, randomBytes, sleep } = fakeWorld({ argv: [], dir: tmpdir() });
  const archive = await openArchive({ ...place, now, randomBytes, sleep });
  await importItems(archive, sampleItems(7));
  await archive.close();
}
