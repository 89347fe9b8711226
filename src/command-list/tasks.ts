// What arx is used for: the first words of its commands by task, for the overview that `arx` alone prints.

/** Task → the first words of its commands, in the order of the overview. Each command stands in one task. */
export const TASKS: Readonly<Record<string, readonly string[]>> = {
  read: ['explore', 'search', 'read', 'open', 'content', 'sequence'],
  list: ['attachments', 'conversations', 'messages'],
  prove: ['report', 'walk', 'fsck', 'doctor', 'health', 'about', 'api'],
  send: ['events'],
  archive: ['import', 'redact', 'backup', 'archive', 'blobs', 'tokens', 'serve', 'demo'],
  account: ['login', 'logout', 'whoami', 'token', 'config', 'profile', 'completion'],
};

/** Words that other programs have for a task, and what stands behind `arx` in the command that does it here. */
export const COMMANDS_FOR_WORDS: readonly (readonly [words: readonly string[], command: string])[] = [
  [['find', 'grep', 'query'], 'search'],
  [['count'], 'search --count'],
  [['stats', 'statistics', 'summary', 'overview'], 'report'],
  [['list', 'ls', 'mails'], 'messages ls'],
  [['files', 'types', 'cities'], 'attachments ls'],
  [['threads'], 'conversations ls'],
  [['thread', 'less'], 'read'],
  [['show', 'view'], 'read; of a file: arx attachments show'],
  [['cat'], 'read; of a file: arx attachments cat'],
  [['get', 'download', 'fetch', 'save', 'mirror', 'sync'], 'attachments pull'],
  [['export'], 'conversations export; of files: arx attachments export'],
  [
    ['verify', 'check'],
    'attachments verify DIR; of a walk: arx conversations verify DIR; of the archive: arx fsck',
  ],
  [['diff', 'compare'], 'conversations diff; of messages: arx content diff'],
  [['restore'], 'help maintenance (a backup is an archive: copy its folder)'],
  [['info', 'status'], 'doctor'],
  [['add', 'load'], 'import'],
  [['rm', 'remove', 'delete'], 'redact'],
  [['version', 'ver'], '--version'],
  [['revoke', 'users', 'accounts', 'sessions'], 'tokens ls'],
];
