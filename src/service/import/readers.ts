// The readers of `arx import`: for each kind of source, which paths are of this kind and how they are read.
import type { ImportKind } from '../../contract/import-kind.ts';
import type { Tier } from '../../contract/tier.ts';
import type { SourceItem } from '../records/import-items.ts';
import { readFolder, type ReadAs } from './folder.ts';
import { isFolderOfMails, isMail, isMailbox, type FileHead } from './mail-detection.ts';
import { isMaildirAt, readMaildir, readSingleMail } from './maildir.ts';
import { hasSeparator, readMbox } from './mbox.ts';
import { isMattermostAt } from './mattermost/detect.ts';
import { readMattermost } from './mattermost/export.ts';
import { slackContent } from './slack/detect.ts';
import { readSlack } from './slack/export.ts';
import { isZulipAt } from './zulip/detect.ts';
import { readZulip } from './zulip/export.ts';

/** A path to import. It is a folder or a regular file. */
export type Source = {
  path: string;
  isFolder: boolean;
  /** Returns the first bytes of a file. Throws the error of the file system. */
  head: () => Promise<FileHead>;
};

/** What readers need besides the path. */
export type ReadOptions = {
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of what is read (interface 5). */
  tier: Tier;
  signal: AbortSignal;
  /** Paths of the same import that hold only the uploaded files of a Slack export. */
  companions: readonly string[];
};

/** Yields the items of the source it was returned for. */
export type Read = (options: ReadOptions) => AsyncIterable<SourceItem>;

type Reader = {
  /**
   * Returns how to read the source when its content is of this kind, else undefined. `uploads` are the files of a Slack
   * export without its messages: they are read together with the export. Throws the error of the file system.
   */
  detect: (source: Source) => Promise<Read | 'uploads' | undefined>;
  /** The same when the user names this kind with `--kind`. Absent when only the content decides. */
  detectNamed?: (source: Source) => Promise<Read | 'uploads' | undefined>;
};

/** The reader of each kind. Detection asks them in this order and takes the first that can read the source. */
export const READERS: Record<ImportKind, Reader> = {
  maildir: {
    detect: async ({ path, isFolder }) =>
      isFolder && (await isMaildirAt(path)) ? ({ signal }) => readMaildir(path, signal) : undefined,
  },
  mbox: {
    detect: async ({ path, isFolder, head }) =>
      !isFolder && isMailbox(await head()) ? ({ signal }) => readMbox(path, { signal }) : undefined,
    // Other bytes may stand before the first mail.
    detectNamed: async ({ path, isFolder, head }) =>
      !isFolder && (isMailbox(await head()) || (await hasSeparator(path)))
        ? ({ signal }) => readMbox(path, { signal })
        : undefined,
  },
  slack: {
    detect: async (source) =>
      source.isFolder || (await source.head()).text.startsWith(ZIP_MAGIC) ? detectSlack(source) : undefined,
    // A zip may have other bytes before its first entry.
    detectNamed: detectSlack,
  },
  mattermost: {
    detect: async ({ path }) =>
      (await isMattermostAt(path)) ? (options) => readMattermost(path, options) : undefined,
    detectNamed: async ({ path }) =>
      (await isMattermostAt(path, true)) ? (options) => readMattermost(path, options) : undefined,
  },
  zulip: {
    detect: async ({ path }) => ((await isZulipAt(path)) ? (options) => readZulip(path, options) : undefined),
  },
  mail: {
    detect: async ({ path, isFolder, head }) => {
      if (isFolder) return (await isFolderOfMails(path)) ? filesOf(path, 'mails-and-mailboxes') : undefined;
      return isMail(await head()) ? () => oneMail(path) : undefined;
    },
    detectNamed: async ({ path, isFolder }) => (isFolder ? filesOf(path, 'all-mails') : () => oneMail(path)),
  },
  folder: {
    detect: async ({ path, isFolder }) => (isFolder ? filesOf(path, 'by-content') : undefined),
    detectNamed: async ({ path, isFolder }) => (isFolder ? filesOf(path, 'all-files') : undefined),
  },
};

const ZIP_MAGIC = 'PK';

async function detectSlack({ path }: Source): Promise<Read | 'uploads' | undefined> {
  const content = await slackContent(path);
  return content === 'export' ? (options) => readSlack(path, options) : content;
}

function filesOf(path: string, readAs: ReadAs): Read {
  return (options) => readFolder(path, { ...options, readAs });
}

async function* oneMail(path: string): AsyncGenerator<SourceItem> {
  yield* readSingleMail(path);
}
