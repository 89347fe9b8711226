// The files of an exported thread: saved beside it, verified, and pictures small enough to be in the page.
import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import type { ReadMessage, ReadPart } from '../../contract/reports/reading.ts';
import { openManifest } from '../../download/manifest.ts';
import { openTargetFolder } from '../../download/target-folder.ts';
import type { ThreadStyle } from '../../format/thread.ts';
import { catalogueRows } from '../attachments/catalogue.ts';
import { openRowPuller } from '../attachments/pull-rows.ts';
import { fetchVerified } from '../content/stored-bytes.ts';
import type { LimitedDownloads } from '../shared/download-limits.ts';
import { isOfOneRecord } from '../lists/single-record.ts';
import type { ExportCounts } from './export-counts.ts';

/** The folder of the files, beside the document. */
export const FILES_FOLDER = 'files';
/** Pictures of a page. Larger ones are only named. */
const MAX_PICTURE_BYTES = 1024 * 1024;
const MAX_PICTURES_BYTES = 16 * 1024 * 1024;
/** Browsers show these without running anything, unlike SVG. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Gets the files of one message after the other. `close` must be called last. */
export type ThreadFiles = {
  /** Saves the files of a message, and reads its pictures. Returns how they are shown. */
  styleOf(message: ReadMessage): Promise<ThreadStyle>;
  close(): Promise<void>;
};

/** `dir`: the folder beside whose document files are saved; undefined: none is saved. `pictures`: they are read. */
export async function openThreadFiles(
  options: {
    dir: string | undefined;
    pictures: boolean;
    force: boolean;
    counts: ExportCounts;
    limited: Pick<LimitedDownloads, 'addFault'>;
  },
  app: App,
): Promise<ThreadFiles> {
  const { counts } = options;
  const { dir, force } = options;
  const saver = dir === undefined ? undefined : saverFor(() => openSaver(dir, force, app));
  let picturesLeft = options.pictures ? MAX_PICTURES_BYTES : 0;

  /** Returns a picture, or undefined for any other file and one that cannot be had. */
  async function pictureOf(row: Attachment): Promise<string | undefined> {
    const { content_type: type = '', bytes = Infinity, file_url: address, sha256 } = row;
    const isShown = PICTURES.has(type) && bytes <= Math.min(MAX_PICTURE_BYTES, picturesLeft);
    if (!isShown || typeof address !== 'string' || sha256 === undefined) return undefined;
    const content = await fetchVerified(address, { sha256, bytes }, row.id, app);
    picturesLeft -= content.length;
    return `data:${type};base64,${content.toString('base64')}`;
  }
  return {
    async styleOf(message) {
      const links = new Map<string, string>();
      const pictures = new Map<string, string>();
      const files = message.parts.filter(({ kind }) => kind === 'file');
      countUnavailable(files, counts);
      const ids = new Set(
        files.flatMap(({ id, state }) => (id != null && state === 'available' ? [id] : [])),
      );
      const written = new Set<string>();
      const failed = new Set<string>();
      const wanted = saver !== undefined || picturesLeft > 0 ? ids : new Set<string>();
      for (const row of wanted.size === 0 ? [] : (await catalogueRows(wanted, app)).values()) {
        if (!isPullable(row)) continue;
        try {
          const path = await saver?.save(row);
          if (path !== undefined) {
            written.add(row.id);
            links.set(row.id, path.split('/').map(encodeURIComponent).join('/'));
          }
          const picture = await pictureOf(row);
          if (picture !== undefined) {
            written.add(row.id);
            pictures.set(row.id, picture);
          }
        } catch (error) {
          if (!isOfOneRecord(error)) throw error;
          failed.add(row.id);
          options.limited.addFault(error);
        }
      }
      const unlisted = files.filter(({ id, state }) => id != null && state === 'unlisted').length;
      const lacking = ids.size + unlisted - written.size;
      // A file that is saved and whose picture cannot be read is in the export.
      const leftOut = saver === undefined ? failed.size : lacking;
      counts.files += written.size;
      counts.filesLeftOut += leftOut;
      counts.filesNamed += lacking - leftOut;
      return {
        timeZone: app.instants.timeZone,
        linkOf: ({ id }: ReadPart) => links.get(id ?? ''),
        pictureOf: ({ id }: ReadPart) => pictures.get(id ?? ''),
      };
    },
    close: async () => saver?.close(),
  };
}

/** Counts the files of a message whose bytes are withheld or absent. */
export function countUnavailable(files: readonly ReadPart[], counts: ExportCounts): void {
  for (const { kind, state } of files)
    if (kind === 'file' && (state === 'withheld' || state === 'absent')) counts.unavailable += 1;
}

type Saver = { save(row: Attachment): Promise<string>; close(): Promise<void> };

/** Returns a saver that is opened for the first file: without one there is no folder of files. */
function saverFor(open: () => Promise<Saver>): Saver {
  let opened: Promise<Saver> | undefined;
  return {
    save: async (row) => (await (opened ??= open())).save(row),
    close: async () => (await opened)?.close(),
  };
}

async function openSaver(dir: string, force: boolean, app: App): Promise<Saver> {
  const folder = await openTargetFolder(join(dir, FILES_FOLDER));
  const manifest = await openManifest(folder.path);
  const puller = await openRowPuller(folder.path, { force, entries: manifest.entries }, app);
  return {
    async save(row) {
      const { file, entry, fault } = await puller.pull(row);
      if (entry !== undefined) manifest.add(entry);
      if (fault !== undefined) throw fault;
      return `${FILES_FOLDER}/${file.path}`;
    },
    async close() {
      await puller.close();
      await manifest.close();
      await folder.close();
    },
  };
}
