// The topics of `arx help TOPIC`: names and one line each. The texts are in help/topics/, loaded when one is shown.

/** Topic → what it explains, in the order of the help. */
export const HELP_TOPICS = {
  start: 'three steps to begin: get an archive, look at it, prove it',
  commands: 'every command with a line about it',
  options: 'the options that every command takes',
  'first-look': 'looking at an unknown service, step by step',
  output: 'forms of the output, and how reports and lists end',
  'exit-codes': 'every exit code and its class',
  environment: 'settings, environment variables and profiles',
  drift: 'how a walk reads a list whose pages cannot be trusted',
  'drift-testing': 'how arx serve injects drift, to test any client',
  events: 'sending, signing and reconciling events',
  queries: 'the language of arx search, and what it finds',
  files: 'downloading, naming, opening and verifying files',
  evidence: 'what can be kept as proof: frozen logs, bags, records',
  import: 'importing mbox, Maildir, Slack exports and folders',
  hosting: 'running the service: ports, log, metrics, capacity, limits',
  deployment: 'nginx, systemd, log rotation, alerts: files to begin with',
  maintenance: 'backup, copies and checks of an archive',
  postgresql: 'PostgreSQL, several archives in one, files in a bucket',
  glossary: 'the words that arx uses',
} as const;
/** The name of a topic. */
export type HelpTopic = keyof typeof HELP_TOPICS;

/** The names in the order of the help. */
export const HELP_TOPIC_NAMES = Object.keys(HELP_TOPICS) as HelpTopic[];

/** Whether there is a topic of this name. */
export function isHelpTopic(name: string): name is HelpTopic {
  return Object.hasOwn(HELP_TOPICS, name);
}
