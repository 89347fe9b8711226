// Mails whose lines end with CR alone, as Python's `email` reads them: the same header and the same parts.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseMimeStructure } from '../../../src/service/mail/mime-structure.ts';
import { decodeTransferEncoding } from '../../../src/service/mail/transfer-encoding.ts';
import { isInstalled } from '../../support/installed.ts';
import { MAILS } from '../../support/mail-inputs.ts';

/** Prints subject and parts. A part of Python keeps the line ends of the mail. */
const SCRIPT = `
import email, email.policy, json, sys
mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=getattr(email.policy, sys.argv[1]))
parts = [part for part in mail.walk() if not part.is_multipart()]
print(json.dumps([str(mail['subject'] or ''), [[part.get_content_type(), part.get_payload(decode=True).decode('latin-1')] for part in parts]]))
`;

const hasPython = isInstalled('python3');
if (!hasPython) test.skip('SKIPPED: python3 is not there', () => {});

/** Without reports, of whose lines Python makes messages, and without an encoding in which Python knows no CR. */
const READ_ALIKE = MAILS.filter(
  (mail) => !/delivery-status|quoted-printable|rfc822; name|uuencode/.test(mail),
);

describe.skipIf(!hasPython).each(['compat32', 'default', 'SMTP'])('policy %s', (policy) => {
  test.each(READ_ALIKE.map((mail, n) => [n, mail] as const))('mail %i', (_, mail) => {
    const raw = Buffer.from(mail.replaceAll(/\r?\n/g, '\r'), 'latin1');
    const [subject, parts] = JSON.parse(
      execFileSync('python3', ['-c', SCRIPT, policy], { input: raw }).toString(),
    ) as [string, [string, string][]];
    const { header, leaves } = parseMimeStructure(raw);
    expect([
      header.fields.get('subject') ?? '',
      leaves.map(({ type, body, header: { fields } }) => [
        type,
        decodeTransferEncoding(body, fields.get('content-transfer-encoding') ?? '').toString('latin1'),
      ]),
    ]).toEqual([
      subject,
      parts.map(([type, text]) => [type, type.startsWith('text/') ? text.replaceAll('\r', '\n') : text]),
    ]);
  });
});
