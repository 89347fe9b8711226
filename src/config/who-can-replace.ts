// Tells whether other users of this machine can exchange a folder: its files, or a folder or symbolic link on the way to it.
import * as fs from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';

const ANOTHER_OWNER = 'its owner, another user,';
/** More links on the way to a folder than systems follow. */
const MAX_LINKS = 40;

/**
 * Returns who besides the user and root can exchange the files of a folder, or what leads to it, as the subject of a sentence;
 * undefined where nobody can. Throws the errors of the file system.
 */
export function whoCanReplace(folder: string, uid: number): string | undefined {
  const stat = fs.statSync(folder);
  if (stat.uid !== uid) return ANOTHER_OWNER;
  return whoWrites(stat, uid) ?? whoExchanges(resolve(folder), uid, MAX_LINKS);
}

/** Checks each folder and link of an absolute path, and where each link leads. */
function whoExchanges(path: string, uid: number, maxLinks: number): string | undefined {
  const { root } = parse(path);
  let parent = root;
  const names = path.slice(root.length).split(sep).filter(Boolean);
  for (const [index, name] of names.entries()) {
    const entry = join(parent, name);
    const stat = fs.lstatSync(entry);
    const above = fs.statSync(parent);
    const others = whoWrites(above, uid) ?? ownerInSticky(above, stat, uid);
    if (others !== undefined) return `${others} (in ${parent})`;
    if (stat.isSymbolicLink()) {
      if (maxLinks === 0) return undefined;
      const target = resolve(parent, fs.readlinkSync(entry));
      return whoExchanges(join(target, ...names.slice(index + 1)), uid, maxLinks - 1);
    }
    parent = entry;
  }
  return undefined;
}

/** Returns who can exchange any entry of a folder. */
function whoWrites({ uid: owner, mode }: fs.Stats, uid: number): string | undefined {
  if (owner !== uid && owner !== 0) return ANOTHER_OWNER;
  // In a sticky folder each user exchanges only files of his own.
  if ((mode & 0o1000) !== 0) return undefined;
  return (mode & 0o002) !== 0 ? 'every user' : (mode & 0o020) !== 0 ? 'its group' : undefined;
}

/** Returns the owner of an entry in a folder where each user exchanges his own. */
function ownerInSticky(folder: fs.Stats, { uid: owner }: fs.Stats, uid: number): string | undefined {
  return (folder.mode & 0o1000) !== 0 && owner !== uid && owner !== 0 ? ANOTHER_OWNER : undefined;
}
