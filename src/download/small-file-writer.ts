// Small files on the disk: each written when it comes, then many synced together, and named once their names are known.
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { placeFile, removeQuietly } from '../disk/atomic-file.ts';
import { syncFolder, writeAllSync } from '../disk/durable-write.ts';
import { systemErrorOf, type SystemError } from './disk-jobs.ts';

/** `temporary` is a name in the folder that nothing has; `size` what the catalogue says, where it does. */
export type SmallFile = { temporary: string; sha256: string; size: number | undefined };

/** What a file is to be called in the folder. */
export type FinalName = { name: string; force: boolean };

/** `taken`: the name is another's by now; `wrong`: the bytes are not those of the hash. Only `kept` has changed anything. */
export type StoredFile = { outcome: 'kept' | 'taken' | 'wrong'; sha256: string; bytes: number };

export type SmallFileWriter<Key> = {
  /** Files that {@link SmallFileWriter.commit} would do something for. */
  pending(): number;
  /** Hashes and writes; the bytes are not needed afterwards. Never throws. */
  add(key: Key, file: SmallFile, bytes: Uint8Array): void;
  /** Once for each file, before it comes or any time after; until then it has its temporary name. */
  setName(key: Key, naming: FinalName): void;
  /**
   * Syncs all that were added since, and names those that have one: what became of these, and of those that never will.
   * On a journalling disk the first sync pays for the others.
   */
  commit(): [Key, StoredFile | SystemError][];
};

type Writing<Key> = {
  key: Key;
  file: SmallFile;
  stored: StoredFile;
  naming?: FinalName | undefined;
  fd?: number;
  failed?: SystemError;
};

export function createSmallFileWriter<Key>(dir: string): SmallFileWriter<Key> {
  const names = new Map<Key, FinalName>();
  const nameless = new Map<Key, Writing<Key>>();
  let written: Writing<Key>[] = [];
  let due: Writing<Key>[] = [];
  const attempt = (one: Writing<Key>, step: () => void): void => {
    try {
      step();
    } catch (error) {
      one.failed ??= systemErrorOf(error);
    }
  };
  const isLost = ({ failed, stored }: Writing<Key>): boolean =>
    failed !== undefined || stored.outcome !== 'kept';
  /** Undefined for one that is still without its name. */
  const named = (one: Writing<Key>): FinalName | undefined => {
    one.naming ??= names.get(one.key);
    if (one.naming !== undefined || isLost(one)) names.delete(one.key);
    else nameless.set(one.key, one);
    return one.naming;
  };
  const sync = (): void => {
    for (const one of written) if (!isLost(one)) attempt(one, () => fs.fsyncSync(one.fd!));
    for (const one of written) if (one.fd !== undefined) attempt(one, () => fs.closeSync(one.fd!));
    for (const one of written) if (named(one) !== undefined || isLost(one)) due.push(one);
    written = [];
  };
  return {
    pending: () => written.length + due.length,
    add: (key, file, bytes) => {
      const sha256 = hash('sha256', bytes, 'hex');
      const isRight = sha256 === file.sha256 && bytes.length === (file.size ?? bytes.length);
      const stored: StoredFile = { outcome: isRight ? 'kept' : 'wrong', sha256, bytes: bytes.length };
      const one: Writing<Key> = { key, file, stored };
      written.push(one);
      if (!isRight) return;
      attempt(one, () => {
        const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
        const fd = fs.openSync(`${dir}/${file.temporary}`, O_WRONLY | O_CREAT | O_EXCL, 0o600);
        one.fd = fd;
        writeAllSync(fd, bytes);
      });
    },
    setName: (key, naming) => {
      const one = nameless.get(key);
      if (one === undefined) names.set(key, naming);
      else {
        nameless.delete(key);
        one.naming = naming;
        due.push(one);
      }
    },
    commit: () => {
      sync();
      const settled = due;
      due = [];
      for (const one of settled) {
        const { file, naming, stored } = one;
        if (isLost(one) || naming === undefined) continue;
        attempt(one, () => {
          const temporary = `${dir}/${file.temporary}`;
          stored.outcome = placeFile({ temporary, path: `${dir}/${naming.name}`, force: naming.force });
        });
      }
      let isSynced = false;
      for (const one of settled) {
        if (isLost(one)) continue;
        attempt(one, () => {
          if (!isSynced) syncFolder(dir);
          isSynced = true;
        });
      }
      for (const one of settled)
        if (one.fd !== undefined && isLost(one)) removeQuietly(`${dir}/${one.file.temporary}`);
      return settled.map(({ key, stored, failed }): [Key, StoredFile | SystemError] => [
        key,
        failed ?? stored,
      ]);
    },
  };
}
