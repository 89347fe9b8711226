// `arx read` beside mutt: 41 mails of all kinds. The text and the order of the parts are the same, but for differences with a reason.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ReadMessage } from '../../src/contract/reports/reading.ts';
import { arx } from '../support/command.ts';
import { isInstalled } from '../support/installed.ts';
import { MUTT_PROGRAMS, openMutt } from '../support/mutt.ts';
import { hasRealData, unpackTar } from '../support/real-data.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Mails of which both show the same words and files in the same order. */
const SAME = [
  // One text: transfer encodings, charsets, no MIME at all.
  'mime4j/mimetools-testmsgs/german-qp.msg',
  'mime4j/mimetools-testmsgs/not-mime.msg',
  'mime4j/testmsgs/base64-encoded-text.msg',
  'mime4j/testmsgs/malformedHeader-noheader.msg',
  'stalwart/eml/legacy/002.eml',
  'stalwart/eml/legacy/022.eml',
  'stalwart/eml/legacy/049.eml',
  // Texts and files.
  'mime4j/mimetools-testmsgs/dup-names.msg',
  'mime4j/mimetools-testmsgs/multi-2gifs.msg',
  'mime4j/mimetools-testmsgs/multi-weirdspace.msg',
  'mime4j/mimetools-testmsgs/multi-clen.msg',
  'mime4j/mimetools-testmsgs/uu-junk-target.msg',
  'stalwart/eml/legacy/006.eml',
  'stalwart/eml/legacy/039.eml',
  // Several forms of one text, with and without files.
  'mime4j/testmsgs/boundary-name-clash.msg',
  'nodemailer-mailparser/nested.eml',
  'nodemailer-mailparser/mixed.eml',
  'stalwart/eml/legacy/015.eml',
  'stalwart/eml/thirdparty/013.eml',
  // Forwarded mails, digests, reports of delivery.
  'mime4j/mimetools-testmsgs/frag.msg',
  'mime4j/mimetools-testmsgs/multi-digest.msg',
  'mime4j/mimetools-testmsgs/re-fwd.msg',
  'mime4j/testmsgs/base64encoded-rfc822message-nested.msg',
  'sisimai-bounces/maildir/bsd/lhost-amazonses-01.eml',
  'sisimai-bounces/maildir/bsd/lhost-googleworkspace-01.eml',
  'sisimai-bounces/maildir/bsd/lhost-postfix-62.eml',
  'sisimai-bounces/maildir/bsd/rfc3464-52.eml',
  // Malformed.
  'mime4j/mimetools-testmsgs/badbound.msg',
  'mime4j/testmsgs/missing-inner-start-boundary.msg',
  'stalwart/eml/malformed/009.eml',
];

/** Mails of which arx shows something else, and why. */
const DIFFERENT: Record<string, string> = {
  'mime4j/mimetools-testmsgs/attachment-filename-encoding-UTF8.msg':
    'mutt shows the text of an attached file in the mail; arx names the file',
  'mime4j/mimetools-testmsgs/badfile.msg': 'arx names a text with a file name as a file, and shows it too',
  'mime4j/mimetools-testmsgs/multi-nested.msg':
    'an attached mail with a file name is a file in arx; mutt shows its text',
  'mime4j/mimetools-testmsgs/double-semicolon.msg':
    'of several plain texts arx shows the first, and mutt the last',
  'mime4j/mimetools-testmsgs/bluedot-postcard.msg':
    'arx names the picture of the form that is not shown; mutt hides it',
  'mime4j/testmsgs/weird-boundary.msg':
    'blanks at the end of a boundary do not count (RFC 2046), so a line that mutt shows is a boundary',
  'nodemailer-mailparser/spam.eml': 'arx numbers the links of HTML',
  'stalwart/eml/rfc/000.eml': 'text/enriched is shown with its commands',
  'stalwart/eml/legacy/001.eml': 'UTF-7 is not decoded, which the message says',
  'stalwart/eml/thirdparty/009.eml': 'arx shows the text of a part of a message; mutt does not support it',
  'sisimai-bounces/maildir/bsd/arf-01.eml':
    'arx shows the fields of an abuse report; mutt does not support it',
};

/** Letters and digits alone: blanks, signs and where lines break do not matter. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFC')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** What mutt shows, behind the line about the mailbox and the header: words, and the type of each file at its place. */
function shownByMutt(shown: string): string[] {
  const text = Buffer.from(shown, 'latin1').toString();
  const header = text.indexOf('\n\n') + 2;
  const body = text[header] === '\n' ? header : text.indexOf('\n\n', header) + 1;
  let type = '';
  return text
    .slice(body)
    .split('\n')
    .flatMap((line) => {
      const [, declared] = /^\[-- Type: ([^,\s]+),/.exec(line) ?? [];
      type = declared?.toLowerCase() ?? type;
      if (/^\[-- .*(?:is unsupported|is an attachment).* --\]$/.test(line)) return [`<${type}>`];
      return /^\[-- .* --\]$/.test(line) ? [] : wordsOf(line);
    });
}

/** The same of a message of `arx read --json`. */
function shownByArx({ parts }: ReadMessage): string[] {
  return parts.flatMap(({ kind, type, text = '', forwarded = [] }) => {
    if (kind === 'alternative') return [];
    const headings = forwarded.flat().flatMap((field) => wordsOf(field.join(' ')));
    return [...headings, ...(kind === 'file' ? [`<${type}>`] : wordsOf(text))];
  });
}

const missing = MUTT_PROGRAMS.filter((program) => !isInstalled(program));
if (missing.length > 0) test.skip(`SKIPPED: ${missing.join(' and ')} is not there`, () => {});
else if (hasRealData('mime-torture', ['tar', 'xz']))
  describe('41 mails in arx and in mutt', () => {
    const dir = tempFolder('mutt');
    const all = join(dir, 'all');
    const mails = [...SAME, ...Object.keys(DIFFERENT)];
    const read = new Map<string, ReadMessage>();
    const shown = new Map<string, string>();

    beforeAll(async () => {
      mkdirSync(all);
      for (const name of ['mime4j', 'nodemailer-mailparser', 'stalwart', 'sisimai-bounces'])
        unpackTar(`mime-torture/${name}`, all);
      const mutt = openMutt(join(dir, 'mutt'));
      for (const mail of mails) shown.set(mail, mutt(join(all, mail)) ?? '');
      mkdirSync(join(dir, 'mails'));
      for (const [index, mail] of mails.entries())
        copyFileSync(join(all, mail), join(dir, 'mails', `${String(index).padStart(3, '0')}.eml`));
      expect(await arx(dir, 'import mails --kind mail')).toMatchObject({ exit: 0 });
      const ids = mails.map((_, index) => `msg_${index + 1}`);
      const { stdout, exit } = await arx(dir, `read ${ids.join(' ')} --json`);
      expect(exit).toBe(0);
      const { data } = JSON.parse(stdout) as { data: unknown[] };
      for (const [index, row] of data.entries()) read.set(mails[index]!, ReadMessage.parse(row));
    });

    test.each(SAME)('%s is the same', (mail) => {
      const theirs = shownByMutt(shown.get(mail)!);
      expect(theirs.length).toBeGreaterThan(0);
      expect(shownByArx(read.get(mail)!)).toEqual(theirs);
    });

    test.each(Object.entries(DIFFERENT))('%s differs: %s', (mail) => {
      const theirs = shownByMutt(shown.get(mail)!);
      expect(theirs.length).toBeGreaterThan(0);
      expect(shownByArx(read.get(mail)!)).not.toEqual(theirs);
    });
  });
