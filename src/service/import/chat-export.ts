// Recognizes exports of chat systems that arx does not read, by the first bytes of a file.
import { readFileHead } from './mail-detection.ts';

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

/** What to do with such an export. */
export const CHAT_HINT = 'convert it to mbox or to the form of a Slack export, and import that';

/** Returns the system whose messages a file holds, or undefined. Throws the error of the file system. */
export async function chatSystemOf(path: string): Promise<string | undefined> {
  const { text } = await readFileHead(path);
  return CHATS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(text)))?.[0];
}
