// The files of earlier pulls that a pull concerns although no selected row is theirs.
import { isKept, type KeptEntry, type ManifestEntry } from '../../download/manifest.ts';
import type { Puller, UnlistedResult } from '../../download/puller.ts';
import type { MissedFile, Selection } from './selection.ts';

/**
 * Yields, after the rows of the selection, what else it concerns of the files that were kept by a pull of this selection, or by one of which
 * that is not known. `seen`: the ids of the selected rows.
 */
export async function* missedFiles(
  selection: Pick<Selection, 'missed' | 'isAll' | 'options'>,
  entries: ReadonlyMap<string, ManifestEntry>,
  seen: ReadonlySet<string>,
): AsyncGenerator<MissedFile & { entry: KeptEntry }> {
  const { isAll, options } = selection;
  const isOfSelection = ({ selections }: ManifestEntry): boolean =>
    isAll || selections === undefined || selections.some((selected) => selected === options);
  const kept = [...entries.values()].filter(
    (entry) => isKept(entry) && isOfSelection(entry) && !seen.has(entry.id),
  );
  if (kept.length === 0) return;
  for await (const found of selection.missed(new Set(kept.map(({ id }) => id)))) {
    const entry = entries.get(found.id);
    if (isKept(entry)) yield { ...found, entry };
  }
}

/**
 * Checks such a file in the folder. One that is no longer listed may be of another pull: where not all rows are selected, it has a row only
 * if that is new, or if it is not as it was kept.
 */
export async function pullMissed(
  { row, entry }: MissedFile & { entry: KeptEntry },
  puller: Pick<Puller, 'pull' | 'unlisted'>,
  { isAll }: Pick<Selection, 'isAll'>,
): Promise<UnlistedResult> {
  if (row !== undefined) return puller.pull(row);
  const { file, ...result } = await puller.unlisted(entry);
  const isTold = isAll || result.isNews === true || result.fault !== undefined;
  return file !== undefined && isTold ? { ...result, file } : result;
}
