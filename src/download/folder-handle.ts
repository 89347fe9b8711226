// A folder held open: what is done in it stays in it, whatever its name and its parents lead to meanwhile.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Fault } from '../faults.ts';

export type FolderHandle = {
  /** Leads to the folder itself where the system has such paths, else by its name. */
  path: string;
  close(): Promise<void>;
};

/** Throws the system's error where it cannot be opened, Fault `unsafe` for what is no folder. */
export async function openFolderHandle(dir: string): Promise<FolderHandle> {
  const folder = await open(dir, constants.O_RDONLY | constants.O_NONBLOCK);
  const opened = await folder.stat();
  if (!opened.isDirectory()) {
    await folder.close();
    throw new Fault('unsafe', `${dir} is not a folder`);
  }
  const held = `/proc/self/fd/${folder.fd}`;
  const found = await stat(held).catch(() => undefined);
  const isHeld = found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
  return { path: isHeld ? held : dir, close: () => folder.close() };
}
