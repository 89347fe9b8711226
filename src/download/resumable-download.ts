// Downloads a file into the target folder, from where an earlier try or run stopped.
import type { RetryOptions } from '../client/retry.ts';
import { againIfWrong, downloadFile, type FileReceiver } from './download-file.ts';
import type { SavedFile, TargetFile } from './existing-file.ts';
import type { FileAccess } from './file-request.ts';
import { createFileWriter, type SaveOptions } from './file-writer.ts';

/** Options of a download that is resumed where it stopped. */
export type ResumableOptions = {
  access: FileAccess;
  save: SaveOptions;
  world: RetryOptions['world'];
  /** Tries after the first. */
  retries: number;
  log: (line: string) => void;
  /** Waits for permission to use a connection. Call the returned function when it is no longer used. */
  acquireConnection: () => Promise<() => void>;
  onRequest: () => void;
  /** Gets the byte at which each try starts. */
  onStart: (from: number) => void;
};

/**
 * Downloads the file at `url` and returns it saved and verified. Throws the Faults of {@link downloadFile} and
 * {@link FileWriter.receive}. Wrong bytes are downloaded once more from the start. A partial file stays if it can be resumed.
 */
export async function downloadResumable(
  url: string,
  target: TargetFile,
  options: ResumableOptions,
): Promise<SavedFile> {
  const { save, log } = options;
  const writer = createFileWriter(target, save);
  const receiver: FileReceiver<SavedFile> = {
    resumePoint: () => {
      const point = writer.resumePoint();
      options.onStart(point?.from ?? 0);
      return point;
    },
    discard: writer.discard,
    receive: (file) => {
      options.onStart(file.from);
      return writer.receive(file);
    },
  };
  try {
    const complete = await writer.completePartial();
    if (complete !== undefined) return complete;
    return await againIfWrong(target.name, log, (isAgain) =>
      downloadOnConnection(url, target, receiver, { ...options, isAgain }),
    );
  } finally {
    await writer.close();
  }
}

async function downloadOnConnection(
  url: string,
  target: TargetFile,
  receiver: FileReceiver<SavedFile>,
  {
    access,
    world,
    retries,
    log,
    isAgain,
    onRequest,
    acquireConnection,
  }: ResumableOptions & { isAgain: boolean },
): Promise<SavedFile> {
  const release = await acquireConnection();
  try {
    // The connection is free when the bytes were read; hashing and syncing go on.
    const options = {
      ...access,
      world,
      retries,
      log,
      size: target.bytes,
      isAgain,
      onRequest,
      onRead: release,
    };
    return await downloadFile(url, options, receiver);
  } finally {
    release();
  }
}
