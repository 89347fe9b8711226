// Splits mboxes as Python's `mailbox` does, and reads their headers as its `email` does, except where a reason is named.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMbox } from '../../../src/service/import/mbox.ts';
import { parseHeader } from '../../../src/service/mail/header.ts';
import { summaryOf } from '../../../src/service/mail/mail-record.ts';
import { sha256Of } from '../../support/digest.ts';
import { isInstalled } from '../../support/installed.ts';
import { hasRealData, unpackFile, unpackTar } from '../../support/real-data.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A mail as Python sees it, or as we do: its offset, the hash of its bytes without empty lines at the end, and two fields. */
type Mail = { at: number; sha256: string; key: string | null; seconds: number | null };

/** Prints one JSON line for each mail. With `rd`, the quoting of mboxrd is undone, which `mailbox` does not do. */
const SCRIPT = `
import calendar, email, email.utils, hashlib, json, mailbox, re, sys
box = mailbox.mbox(sys.argv[1], create=False)
box.keys()
def seconds(text):
    t = email.utils.parsedate_tz(text) if text else None
    return None if t is None else calendar.timegm(t[:6] + (0, 0, 0)) - (t[9] or 0)
for key in sorted(box.keys()):
    raw = box.get_bytes(key)
    if sys.argv[2] == 'rd':
        raw = re.sub(rb'(?m)^>(>*From )', rb'\\1', raw)
    mail = email.message_from_bytes(raw)
    own = str(mail['message-id'] or '').strip()
    found = re.findall(r'<([^<>\\s]+)>', own) or ([own] if own else [])
    try: date = seconds(str(mail['date'] or ''))
    except Exception: date = None
    print(json.dumps([box._toc[key][0], hashlib.sha256(raw.rstrip(b'\\r\\n')).hexdigest(), found[0] if found else None, date]))
`;

function pythonMails(path: string, isMboxrd: boolean): Mail[] {
  const args = ['-c', SCRIPT, path, isMboxrd ? 'rd' : 'plain'];
  const lines = execFileSync('python3', args, { maxBuffer: 1 << 28 })
    .toString()
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const [at, sha256, key, seconds] = JSON.parse(line) as [number, string, string | null, number | null];
    return { at, sha256, key, seconds };
  });
}

async function ourMails(path: string): Promise<Mail[]> {
  const mails: Mail[] = [];
  for await (const item of readMbox(path)) {
    if (item.kind !== 'raw') continue;
    const raw = Buffer.from(item.raw);
    let end = raw.length;
    while (raw[end - 1] === 0x0a || raw[end - 1] === 0x0d) end -= 1;
    const { key, date_ms } = summaryOf(parseHeader(raw, 0, raw.length));
    const seconds = date_ms === null ? null : Math.floor(date_ms / 1000);
    mails.push({ at: item.position, sha256: sha256Of(raw.subarray(0, end)), key, seconds });
  }
  return mails;
}

/** Returns how the two differ: offsets where only one of them begins a mail, and mails that they read differently. */
function differences(ours: readonly Mail[], theirs: readonly Mail[]): Record<string, number[]> {
  const at = (mails: readonly Mail[]) => new Map(mails.map((mail) => [mail.at, mail]));
  const [our, their] = [at(ours), at(theirs)];
  const both = ours.filter((mail) => their.has(mail.at));
  const differ = (field: keyof Mail) =>
    both.filter((mail) => mail[field] !== their.get(mail.at)?.[field]).map((mail) => mail.at);
  const found = {
    'only Python begins a mail': theirs.filter((mail) => !our.has(mail.at)).map((mail) => mail.at),
    'only arx begins a mail': ours.filter((mail) => !their.has(mail.at)).map((mail) => mail.at),
    bytes: differ('sha256'),
    'Message-ID': differ('key'),
    date: differ('seconds'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, offsets]) => offsets.length > 0));
}

const hasPython = isInstalled('python3');
if (!hasPython) test.skip('SKIPPED: python3 is not there', () => {});

describe.skipIf(!hasPython)('crafted mboxes', () => {
  const dir = tempFolder('crafted');
  const SEPARATOR = 'From a@example.org Thu Jan  1 00:00:00 1970\n';
  const head = (n: number) => `Message-ID: <${n}@b>\nDate: 25 Apr 2019 10:00:0${n} +0200\n`;
  const mail = (n: number, text = 'text\n') => `${head(n)}\n${text}\n`;
  const two = (separator: string) => separator + mail(1) + separator + mail(2);
  test.each<[name: string, content: string, reasons: Record<string, string>]>([
    ['plain', two(SEPARATOR), {}],
    ['Thunderbird', two('From \n'), {}],
    ['Thunderbird with CRLF', two('From - \n').replaceAll('\n', '\r\n'), {}],
    ['empty lines first', `\n\n${two(SEPARATOR)}`, {}],
    ['addresses without a date', two('From a@b\n'), {}],
    ['no empty line before a separator', `${SEPARATOR}${mail(1).trimEnd()}\n${SEPARATOR}${mail(2)}`, {}],
    [
      'a first separator that is quoted',
      `>${SEPARATOR}From: a@b\n${mail(1)}${SEPARATOR}${mail(2)}`,
      { 'only arx begins a mail': 'Python leaves out the first mail; mutt and dovecot refuse such a file' },
    ],
    [
      'prose that begins with From',
      SEPARATOR + mail(1, 'x\n\nFrom here on\nit is prose\n') + SEPARATOR + mail(2),
      {
        'only Python begins a mail': 'Python begins a mail at each line with From; this one has no date',
        bytes: 'so the mail before it is shorter in Python',
      },
    ],
    [
      'a separator inside a body with a Content-Length',
      `${SEPARATOR}Content-Length: 57\n${mail(1, `\n${SEPARATOR}A: b\n\n${'x'.repeat(6)}`)}${SEPARATOR}${mail(2)}`,
      {
        'only Python begins a mail': 'Python does not know Content-Length',
        bytes: 'so the mail before it is shorter in Python',
      },
    ],
    [
      'a line of the header that is no field',
      `${SEPARATOR}From: a@b\nno field\n${mail(1)}`,
      {
        'Message-ID': 'Python ends the header at the first line that is no field; mail readers read on',
        date: 'for the same reason',
      },
    ],
    [
      '31 February',
      `${SEPARATOR}Message-ID: <1@b>\nDate: 31 Feb 2019 10:00:00 +0000\n\n`,
      { date: 'Python takes the date for 3 March; it does not exist' },
    ],
  ])('%s', async (_name, content, reasons) => {
    const path = join(dir, 'box');
    writeFileSync(path, content);
    const found = differences(await ourMails(path), pythonMails(path, false));
    expect(Object.keys(found)).toEqual(Object.keys(reasons));
  });
});

const hasData = hasRealData('lists', ['xz', 'tar']);

describe.skipIf(!hasPython || !hasData)('mailboxes of real lists', () => {
  /** By the name of the mailbox: how many offsets differ, and why. */
  const REASONS: Record<string, Record<string, [count: number, reason: string]>> = {
    'cypherpunks-1992.mbox': {
      'only Python begins a mail': [1, "Python begins a mail at the prose `From Black's Law Dictionary:`"],
      bytes: [1, 'so the mail before it is shorter in Python'],
    },
  };

  const check = async (path: string, isMboxrd: boolean) => {
    const found = differences(await ourMails(path), pythonMails(path, isMboxrd));
    const counts = Object.fromEntries(Object.entries(found).map(([what, offsets]) => [what, offsets.length]));
    const reasons = REASONS[basename(path)] ?? {};
    expect({ [basename(path)]: counts }).toEqual({
      [basename(path)]: Object.fromEntries(Object.entries(reasons).map(([what, [count]]) => [what, count])),
    });
  };

  test.each([
    ['lists/samba-technical-2019-2022.mbox', true],
    ['lists/cypherpunks-1992.mbox', false],
  ])('%s', { timeout: 120_000 }, async (name, isMboxrd) => {
    const path = join(tempFolder('python'), basename(name));
    unpackFile(name, path);
    await check(path, isMboxrd);
  });

  test.each(['lists/apache-mbox-variants', 'mime-torture/sisimai-bounces'])(
    '%s',
    // Each of up to 31 mailboxes is imported and read by Python.
    { timeout: 600_000 },
    async (name) => {
      const root = tempFolder('python');
      unpackTar(name, root);
      const boxes = readdirSync(root, { recursive: true, encoding: 'utf8' })
        .map((file) => join(root, file))
        .filter((file) => statSync(file).isFile() && /\.mbox$|mbox-\d+$/.test(file));
      expect(boxes.length).toBeGreaterThan(0);
      for (const box of boxes.toSorted()) await check(box, false);
    },
  );
});
