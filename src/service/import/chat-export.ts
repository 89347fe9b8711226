// Recognizes exports of chat systems: those that arx does not read, and those that lie inside an imported folder.
import { readFileHead } from './mail-detection.ts';
import { isMattermostAt } from './mattermost/detect.ts';
import { slackContent } from './slack/detect.ts';
import { mayBeTar } from './tar.ts';
import { isZulipAt } from './zulip/detect.ts';

/** Each system, with patterns that the beginning of one of its files has, all of them. */
const CHATS: [system: string, ...patterns: RegExp[]][] = [
  ['Mattermost', /^\s*\{\s*"type"\s*:\s*"version"\s*,\s*"version"\s*:\s*\d+/],
  ['Zulip', /^\s*\{/, /"zerver_(?:message|usermessage|realm|userprofile)"\s*:\s*\[/],
  ['Telegram', /^\s*\{/, /"type"\s*:\s*"(?:personal|bot|private|public|saved)_\w+"/, /"messages"\s*:\s*\[/],
  ['Telegram', /^\s*\{/, /"about"\s*:\s*"Here is the data you requested/],
  ['Telegram', /^\s*<!DOCTYPE html>/i, /<title>Exported Data<\/title>/],
  ['Discord', /^\s*\{\s*"guild"\s*:\s*\{/, /"channel"\s*:\s*\{/],
  ['Discord', /^\s*\[\s*\{\s*"ID"\s*:/, /"Timestamp"\s*:/, /"Contents"\s*:/],
  ['Discord', /^ID,Timestamp,Contents,Attachments\r?\n/],
  ['Matrix', /^\s*\{/, /"room_name"\s*:/, /"exported_by"\s*:|"export_date"\s*:/],
  ['Matrix', /^\s*[[{]/, /"type"\s*:\s*"m\.room\.\w+"/, /"origin_server_ts"\s*:/],
  ['Teams', /^\s*\{/, /"(?:conversations|messages)"\s*:/, /"MessageList"\s*:|"threadProperties"\s*:/],
  ['Teams', /^\s*[[{]/, /graph\.microsoft\.com\/[^"]*\/messages|"chatId"\s*:\s*"19:/],
];

/** The systems whose exports are read, where they are named themselves. */
const READ_SYSTEMS = new Set(['Mattermost', 'Zulip', 'Slack']);

/** Returns what to do with an export of a system. `part`: the path is only one file of it. */
export function chatHint(system: string, part: 'part' | 'whole'): string {
  if (!READ_SYSTEMS.has(system))
    return 'convert it to mbox or to the form of a Slack export, and import that';
  return part === 'whole'
    ? 'import it by itself'
    : 'import the folder, zip or tar.gz of the export by itself';
}

/**
 * Returns the system whose messages a file holds, and whether the file is the whole export; undefined for any other file.
 * Throws the error of the file system.
 */
export async function chatSystemOf(
  path: string,
): Promise<{ system: string; part: 'part' | 'whole' } | undefined> {
  const { text } = await readFileHead(path);
  const system = systemOf(text) ?? (await archivedSystem(path, text));
  if (system === undefined) return undefined;
  return { system, part: system === 'Zulip' && text.trimStart().startsWith('{') ? 'part' : 'whole' };
}

/** A folder may hold large tars that are no exports. */
const MAX_TAR_BYTES = 64 * 1024 * 1024;

/** Looks into a zip or tar, of which only the names are read. */
async function archivedSystem(path: string, head: string): Promise<string | undefined> {
  const isZip = head.startsWith('PK');
  if (isZip && (await slackContent(path)) === 'export') return 'Slack';
  if (isZip && (await isMattermostAt(path))) return 'Mattermost';
  return (isZip || mayBeTar(head)) && (await isZulipAt(path, MAX_TAR_BYTES)) ? 'Zulip' : undefined;
}

/** Returns the chat system whose export begins with this text; undefined for any other text. */
export function systemOf(text: string): string | undefined {
  return CHATS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(text)))?.[0];
}
