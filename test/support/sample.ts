// The archive that `arx demo` makes, in a folder or a database, and an empty one.
import { tmpdir } from 'node:os';
import { openArchive, type ArchiveLocation, type OpenArchive } from '../../src/service/index.ts';
import { importItems } from '../../src/service/import/index.ts';
import { sampleItems } from '../../src/service/sample/index.ts';
import { fakeWorld } from './fake-world.ts';

export function sampleData(dir: string): Promise<void> {
  return sampleIn({ dir });
}

export async function sampleIn(place: ArchiveLocation): Promise<void> {
  const archive = await made(place);
  await importItems(archive, sampleItems(7));
  await archive.close();
}

/** Makes an archive without messages and files in a folder. */
export async function emptyData(dir: string): Promise<void> {
  await (await made({ dir })).close();
}

function made(place: ArchiveLocation): Promise<OpenArchive> {
  const { now, randomBytes, sleep } = fakeWorld({ argv: [], dir: tmpdir() });
  return openArchive({ ...place, now, randomBytes, sleep });
}
