// The generated sample archive in a folder, made by the import's own way in.
import { openArchive } from '../../src/service/index.ts';
import { importItems } from '../../src/service/import/index.ts';
import { sampleItems } from '../../src/service/import/sample.ts';
import { fakeWorld } from './world.ts';

export async function sampleData(dir: string): Promise<void> {
  const { now, randomBytes, sleep } = fakeWorld({ argv: [], dir });
  const archive = await openArchive({ dir, now, randomBytes, sleep });
  await importItems(archive, sampleItems(7));
  await archive.close();
}
