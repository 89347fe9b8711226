// Small files on the disk: each written when it comes, then many synced and named together.
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { failedBy, removeQuietly, settle, syncFolder, type Failed } from './disk-work.ts';

/** `name` and `temporary` are names in one folder; nothing has the temporary one. */
export type SmallFile = {
  name: string;
  temporary: string;
  sha256: string;
  /** What the catalogue says, where it does. */
  size: number | undefined;
  force: boolean;
};

/** `taken`: the name is another's by now; `wrong`: the bytes are not those of the hash. Only `kept` has changed anything. */
export type Stored = { outcome: 'kept' | 'taken' | 'wrong'; sha256: string; bytes: number };

export type SmallFiles<Key> = {
  /** Files written and not yet settled. */
  count(): number;
  /** Hashes and writes; the bytes are not needed afterwards. Never throws. */
  add(key: Key, file: SmallFile, bytes: Uint8Array): void;
  /** What became of all that were added since. On a journalling disk the first sync pays for the others. */
  settle(): [Key, Stored | Failed][];
};

type Writing<Key> = { key: Key; file: SmallFile; stored: Stored; fd?: number; failed?: Failed };

export function createSmallFiles<Key>(dir: string): SmallFiles<Key> {
  let all: Writing<Key>[] = [];
  const attempt = (one: Writing<Key>, step: () => void): void => {
    try {
      step();
    } catch (error) {
      one.failed ??= failedBy(error);
    }
  };
  const each = (step: (one: Writing<Key> & { fd: number }) => void): void => {
    for (const one of all) {
      if (one.fd !== undefined && one.failed === undefined && one.stored.outcome === 'kept')
        attempt(one, () => step(one as Writing<Key> & { fd: number }));
    }
  };
  return {
    count: () => all.length,
    add: (key, file, bytes) => {
      const sha256 = hash('sha256', bytes, 'hex');
      const isRight = sha256 === file.sha256 && bytes.length === (file.size ?? bytes.length);
      const stored: Stored = { outcome: isRight ? 'kept' : 'wrong', sha256, bytes: bytes.length };
      const one: Writing<Key> = { key, file, stored };
      all.push(one);
      if (!isRight) return;
      attempt(one, () => {
        const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
        const fd = fs.openSync(`${dir}/${file.temporary}`, O_WRONLY | O_CREAT | O_EXCL, 0o600);
        one.fd = fd;
        for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, bytes.length - at, at);
      });
    },
    settle: () => {
      each(({ fd }) => fs.fsyncSync(fd));
      for (const one of all) if (one.fd !== undefined) attempt(one, () => fs.closeSync(one.fd!));
      each(({ file, stored }) => {
        stored.outcome = settle({
          temporary: `${dir}/${file.temporary}`,
          path: `${dir}/${file.name}`,
          force: file.force,
        });
      });
      let isSynced = false;
      each(() => {
        if (!isSynced) syncFolder(dir);
        isSynced = true;
      });
      for (const { fd, file, failed, stored } of all)
        if (fd !== undefined && (failed !== undefined || stored.outcome !== 'kept'))
          removeQuietly(`${dir}/${file.temporary}`);
      const settled = all.map(({ key, stored, failed }): [Key, Stored | Failed] => [key, failed ?? stored]);
      all = [];
      return settled;
    },
  };
}
