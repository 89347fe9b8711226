// Fuzzing of mails: any bytes have parts, files and a text, none of them longer than the mail allows.
import { test } from 'vitest';
import { MAX_TEXT_BYTES } from '../../../src/contract/content.ts';
import { detectContentType } from '../../../src/service/file-type/content-type.ts';
import { countTrailingBytes } from '../../../src/service/file-type/trailing-bytes.ts';
import { joinFlowedLines } from '../../../src/service/mail/flowed-text.ts';
import { htmlToText } from '../../../src/service/mail/html-text.ts';
import { parseMail, summaryOf } from '../../../src/service/mail/mail-record.ts';
import { decodeTextPart } from '../../../src/service/mail/mail-text.ts';
import { readMessageText } from '../../../src/service/mail/message-text.ts';
import { parseMimeStructure } from '../../../src/service/mail/mime-structure.ts';
import { decodeTransferEncoding } from '../../../src/service/mail/transfer-encoding.ts';
import { storableMessage } from '../../../src/service/records/storable-text.ts';
import { mediaTypeOf } from '../../../src/contract/media-type.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { textsOf } from '../../support/fuzz-inputs.ts';
import { MAIL_TOKENS, MAILS } from '../../support/mail-inputs.ts';

const texts = textsOf({ corpus: MAILS, tokens: MAIL_TOKENS, maxBytes: 1_000 });

test('any bytes are a mail with parts', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: texts,
    check(text) {
      const raw = Buffer.from(text, 'latin1');
      const { header, leaves } = parseMimeStructure(raw);
      if (header.bodyAt > raw.length) throw new Error(`the body is at ${header.bodyAt} of ${raw.length}`);
      const { date_ms: date } = summaryOf(header);
      if (date !== null && !Number.isSafeInteger(date)) throw new Error(`date ${date}`);
      let bytes = 0;
      for (const [index, leaf] of leaves.entries()) {
        if (index + leaf.contains >= leaves.length)
          throw new Error(`part ${index} contains ${leaf.contains} of ${leaves.length}`);
        const content = decodeTransferEncoding(
          leaf.body,
          leaf.header.fields.get('content-transfer-encoding') ?? '',
        );
        // No encoding makes a part longer.
        if (content.length > leaf.body.length)
          throw new Error(`${leaf.body.length} bytes become ${content.length}`);
        if (leaf.contains === 0) bytes += leaf.body.length;
        const trailing = countTrailingBytes(content, detectContentType(content));
        if (trailing < 0 || trailing > content.length)
          throw new Error(`${trailing} bytes after the end of ${content.length}`);
        const decoded = decodeTextPart(leaf);
        const shown =
          leaf.type === 'text/html'
            ? htmlToText(decoded, { links: true }).text
            : joinFlowedLines(decoded, true);
        if (shown.length > 20 * decoded.length + 1_000)
          throw new Error(`a text of ${shown.length} characters`);
      }
      if (bytes > raw.length) throw new Error(`parts of ${bytes} bytes in a mail of ${raw.length}`);
    },
  }),
);

const SHA256 = '0'.repeat(64);

test('any bytes are a mail with files and a text', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: texts,
    async check(text) {
      const raw = Buffer.from(text, 'latin1');
      const mail = await parseMail({ kind: 'raw', path: 'x', position: 0, raw, sha256: SHA256 }, 'internal');
      for (const { content, bytes, declared_type: type } of mail.attachments) {
        if (content?.length !== bytes) throw new Error('a file has another size than its bytes');
        if (mediaTypeOf(type) !== type) throw new Error(`type ${JSON.stringify(type)}`);
      }
      const { key, sender, subject, related } = storableMessage(mail);
      if (/\0|\p{Surrogate}/u.test([key, sender, subject, ...related].join('')))
        throw new Error('cannot be stored');
      const { text: plain, html } = await readMessageText('rfc822', raw);
      const length = Math.max(plain?.length ?? 0, html?.length ?? 0);
      if (length > MAX_TEXT_BYTES || length > 20 * raw.length + 1_000)
        throw new Error(`a text of ${length} characters`);
    },
    // postal-mime decodes each header and file name: it reads some thousand mails a second.
    inputs: 60_000,
  }),
);
