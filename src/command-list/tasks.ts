// What arx is used for: the first words of its commands by task, for the overview that `arx` alone prints.

/** Task → the first words of its commands, in the order of the overview. Each command stands in one task. */
export const TASKS: Readonly<Record<string, readonly string[]>> = {
  read: ['explore', 'search', 'read', 'open', 'content', 'sequence'],
  list: ['attachments', 'conversations', 'messages'],
  prove: ['walk', 'fsck', 'doctor', 'health', 'about'],
  send: ['events', 'api'],
  archive: ['import', 'redact', 'backup', 'serve', 'demo'],
  account: ['login', 'logout', 'whoami', 'token', 'config', 'profile', 'completion'],
};
