// Gives each catalogue row the name of its file in the target folder; no two rows get the same name.
import type { Attachment } from '../contract/attachment.ts';
import { fileNameOf } from '../contract/attachment-file.ts';
import type { ManifestEntry } from './manifest.ts';
import { nameKey, safeName, uniqueName, unsafeReason } from './safe-name.ts';
import type { Subfolders } from './subfolders.ts';

/** What happens when a file cannot have its name of the catalogue. */
export type NameAssignerOptions = {
  /** Throw instead of changing a name. */
  exact: boolean;
  /** Gets in one line why a file has another name than in the catalogue. */
  onRenamed: (text: string) => void;
  /** Returns the name of the folder inside the target folder for a row, as the archive has it; absent: none has one. */
  folderOf?: ((row: Attachment) => string) | undefined;
  /** Nothing is written: files would have these names. */
  isPlan: boolean;
  /** The folders inside the target folder. */
  subfolders: Subfolders;
};

/**
 * Returns a function that gives the name of a row's file: the one that an earlier pull gave it by `entries`, else a free
 * one, taken at once. A name with a slash is in a folder inside the target folder, which exists then. Names of `entries` are checked
 * too, since the manifest is only a file. It throws Fault 'unsafe' where `exact` is set and the catalogue's name cannot be used, and as
 * {@link Subfolders.open}.
 */
export function createNameAssigner(
  entries: ReadonlyMap<string, ManifestEntry>,
  { exact, onRenamed, folderOf, subfolders, isPlan }: NameAssignerOptions,
): (row: Attachment) => string {
  const idByName = new Map<string, string>();
  for (const { id, path } of entries.values()) if (path !== null) idByName.set(nameKey(path), id);
  const isUsable = (path: string): boolean => {
    const [name = '', folder] = path.split('/').toReversed();
    if (path.split('/').length > 2 || unsafeReason(name) !== undefined) return false;
    return folder === undefined || (unsafeReason(folder) === undefined && subfolders.isUsable(folder));
  };
  return (row) => {
    const { id } = row;
    const filename = fileNameOf(row);
    const known = entries.get(id)?.path ?? '';
    if (isUsable(known) && idByName.get(nameKey(known)) === id) {
      if (known.includes('/')) subfolders.open(known.slice(0, known.indexOf('/')));
      return known;
    }
    const folder = folderOf === undefined ? '' : safeName('folder', folderOf(row), { exact }).name;
    if (folder !== '') subfolders.open(folder);
    const { name, changed } = uniqueName(id, filename, idByName, { exact, folder });
    idByName.set(nameKey(name), id);
    if (changed) {
      const reason = safeName(id, filename).changed
        ? 'its name is not safe here and'
        : 'its name is taken by another file, so it';
      onRenamed(`${id}: ${reason} ${isPlan ? 'would be' : 'is'} kept as ${name}`);
    }
    return name;
  };
}
