// The kinds of source that `arx import` reads. service/import/readers.ts has the reader of each.

/** Each kind with its name in messages, in the order of the help. `--kind` takes the keys. */
export const IMPORT_KINDS = {
  mbox: 'mbox',
  maildir: 'Maildir',
  mail: 'mail or folder of mails',
  slack: 'Slack export',
  mattermost: 'Mattermost export',
  zulip: 'Zulip export',
  folder: 'folder',
} as const;
/** A kind of source. */
export type ImportKind = keyof typeof IMPORT_KINDS;
