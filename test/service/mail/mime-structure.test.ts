// The MIME structure of unusual and hostile mails: delimiters, limits, visible parts.
import { describe, expect, test } from 'vitest';
import { parseHeader } from '../../../src/service/mail/header.ts';
import { parseMimeStructure } from '../../../src/service/mail/mime-structure.ts';

const structure = (mail: string) => parseMimeStructure(Buffer.from(mail, 'latin1'));
const bodies = (mail: string) => structure(mail).leaves.map(({ body }) => body.toString('latin1'));
const mixed = (boundary: string, body: string) =>
  `Content-Type: multipart/mixed; boundary="${boundary}"\n\n${body}`;

describe('delimiters', () => {
  test.each<[name: string, body: string, bodies: string[]]>([
    ['at the start of the body', '--b\n\n1\n--b--\n', ['1']],
    ['after a preamble', 'x --b\n--b\n\n1\r\n--b\n\n2\n--b-- \t\r\nend', ['1', '2']],
    ['a longer line is no delimiter', '--b\n\n1\n--bc\n--b -\n--b', ['1\n--bc\n--b -', '']],
    ['inside a line is no delimiter', '--b\n\n1 --b\n2\n--b--', ['1 --b\n2']],
    ['a line of dashes is no delimiter', '--b\n\n----\n---\n--\n--b--', ['----\n---\n--']],
  ])('%s', (_name, body, found) => expect(bodies(mixed('b', body))).toEqual(found));

  test('a boundary longer than a line is ignored', () => {
    const fits = '-'.repeat(998);
    expect(structure(mixed(fits, `--${fits}\n\n1\n--${fits}--`))).toMatchObject({
      leaves: [{ type: 'text/plain' }],
      wellFormed: true,
    });
    const long = '-'.repeat(999);
    expect(structure(mixed(long, `--${long}\n\n1\n--${long}--`))).toMatchObject({
      leaves: [{ type: 'multipart/mixed' }],
      wellFormed: false,
    });
  });
});

test.each([
  ['in a quoted parameter', 'x="; boundary=c"; boundary=b'],
  ['behind a quoted quote', 'x="\\"; boundary=c"; boundary="b"'],
  ['in a comment', 'x=y (; boundary=c); boundary=b'],
  ['in a comment behind the type', '(; boundary=c); boundary=b'],
  ['with a comment', 'boundary=b (c)'],
  ['with a comment before the name', '(c) boundary=b'],
  ['in numbered pieces', 'boundary*0="b"'],
  ['encoded', "boundary*=us-ascii'en'%62"],
  ['of a word and a later quote', 'x=a"; boundary=b; y="'],
  ['whole before pieces', 'boundary*0=c; boundary=b'],
])('a boundary %s is that of mail readers', (_name, parameters) => {
  const mail = `Content-Type: multipart/mixed; ${parameters}\n\n--b\n\n1\n--b--\n--c\n\n2\n--c--\n`;
  expect(bodies(mail)).toEqual(['1']);
});

test('a boundary in two numbered pieces, the second encoded', () => {
  const parameters = 'boundary*0="a b"; boundary*1*=%63';
  expect(bodies(`Content-Type: multipart/mixed; ${parameters}\n\n--a bc\n\n1\n--a bc--\n`)).toEqual(['1']);
});

test('parameters of many quotes and brackets take linear time', () => {
  const field = `multipart/mixed; x=${'"('.repeat(30_000)}; boundary=b`;
  expect(bodies(`Content-Type: ${field}\n\n--b\n\n1\n--b--`)).toEqual(['1']);
});

test.each([
  ['message/rfc822 (a; b)', 'message/rfc822'],
  ['(a (b\\)) c) Message / RFC822', 'message/rfc822'],
  ['multipart/mixed (a', 'multipart/mixed'],
  ['application/pdf(a); name="(.pdf"', 'application/pdf'],
  ['text/html charset=utf-8', 'text/plain'],
])('the type of %s', (field, type) => {
  expect(structure(`Content-Type: ${field}\n\n`).type).toBe(type);
});

test('a disposition with a comment', () => {
  const mail = `Content-Type: text/plain\nContent-Disposition: (a) attachment (b); filename=c\n\n`;
  expect(structure(mail).leaves).toMatchObject([{ shown: false }]);
});

describe('a line of the header that is no field', () => {
  const headerOf = (mail: string) => parseHeader(Buffer.from(mail), 0, mail.length);
  test.each<[name: string, mail: string, fields: string[], body: string]>([
    ['is left out', 'From: a\nno field\nSubject: x\nDate: y\n\nbody', ['from', 'subject', 'date'], 'body'],
    ['with CRLF', 'From: a\r\nno field\r\nSubject: x\r\n\r\nbody', ['from', 'subject'], 'body'],
    [
      'with lines that continue it',
      'From: a\nno field\n b: c\nSubject: x\n\nbody',
      ['from', 'subject'],
      'body',
    ],
    ['stands first', 'no field\nFrom: a\nSubject: x\n\nbody', ['from', 'subject'], 'body'],
    ['several of them', 'From: a\n1\n2\nSubject: x\n3\nTo: y\n\nbody', ['from', 'subject', 'to'], 'body'],
    [
      'begins the body if only prose follows',
      'From: a\nHello,\nNote: this\n\nbody',
      ['from'],
      'Hello,\nNote: this\n\nbody',
    ],
  ])('%s', (_name, mail, fields, body) => {
    const { wellFormed, bodyAt, fields: found } = headerOf(mail);
    expect({ fields: [...found.keys()], body: mail.slice(bodyAt), wellFormed }).toEqual({
      fields,
      body,
      wellFormed: false,
    });
  });

  test('does not hide the parts of a mail', () => {
    const mail = mixed('b', '--b\n\n1\n--b--\n').replace('Content', 'From: a\nno field\nContent');
    expect(structure(mail)).toMatchObject({ type: 'multipart/mixed', wellFormed: false });
    expect(bodies(mail)).toEqual(['1']);
  });

  test('is no reason to search the text of a part for a header', () => {
    const { leaves } = structure(mixed('b', '--b\nHello\nTo: you\n\nmore\n--b--\n'));
    expect(leaves[0]?.body.toString()).toBe('Hello\nTo: you\n\nmore');
  });
});

describe('limits', () => {
  test('the depth: deeper parts are one leaf', () => {
    const levels = (count: number) => 'Content-Type: message/rfc822\n\n'.repeat(count);
    expect(structure(`${levels(64)}\n1`)).toMatchObject({
      wellFormed: false,
      leaves: [{ type: 'text/plain' }],
    });
    const { leaves, wellFormed } = structure(levels(5000));
    expect(wellFormed).toBe(false);
    expect(leaves.map(({ type, body }) => [type, body.toString()])).toEqual([
      ['message/rfc822', levels(5000 - 65)],
    ]);
  });

  test('the number of parts: the last one holds the rest', () => {
    const { leaves, wellFormed } = structure(mixed('b', '--b\n\n1\n'.repeat(10_050)));
    expect(wellFormed).toBe(false);
    expect(leaves).toHaveLength(10_000);
    expect(leaves[9_998]!.body.toString()).toBe('1');
    expect(leaves[9_999]!.body.toString()).toBe(`1\n${'--b\n\n1\n'.repeat(50)}`);
  });

  test('the number of parts of several multiparts together', () => {
    const inner = `--a\n${mixed('b', `${'--b\n\n1\n'.repeat(6_000)}--b--\n`)}`;
    const last = 'Content-Type: message/rfc822\n\nSubject: x\n\n1\n--a--';
    const { leaves, wellFormed } = structure(mixed('a', `${inner.repeat(2)}--a\n${last}`));
    expect(wellFormed).toBe(false);
    // The nested message after the limit is not parsed.
    expect(leaves).toHaveLength(10_001);
    expect(leaves[10_000]).toMatchObject({ type: 'message/rfc822' });
    expect(leaves[10_000]!.body.toString()).toBe('Subject: x\n\n1\n--a--');
  });

  test('the bytes that are searched for boundaries: deeper multiparts are one leaf', () => {
    const levels = Array.from({ length: 40 }, (_, n) => mixed(`boundary_${n}`, `--boundary_${n}\n`)).join('');
    const rest = Buffer.alloc(20 * 1024 * 1024, '\n--boundary');
    const { leaves, wellFormed } = parseMimeStructure(Buffer.concat([Buffer.from(`${levels}\n`), rest]));
    expect({ types: leaves.map(({ type }) => type), wellFormed }).toEqual({
      types: ['multipart/mixed'],
      wellFormed: false,
    });
    expect(leaves[0]!.body.toString('latin1', 0, 14)).toBe('--boundary_12\n');
  });

  test('lines that begin like a delimiter', () => {
    const lines = 'xyz\n--b_000000x\n'.repeat(30_000);
    expect(bodies(mixed('b_000000', `--b_000000\n\n${lines}--b_000000\n\n${lines}--b_000000--`))).toEqual([
      lines.trimEnd(),
      lines.trimEnd(),
    ]);
  });

  test('multiparts nested with one boundary', () => {
    const { leaves, wellFormed } = structure(mixed('b', `--b\n${mixed('b', '')}`.repeat(20_000)));
    expect(wellFormed).toBe(false);
    expect(leaves).toHaveLength(10_000);
  });

  test('the number and length of header fields', () => {
    const fields = Array.from({ length: 3_000 }, (_, n) => `x${n}: ${n}\n`).join('');
    const folded = `Subject: a${'\n b'.repeat(300_000)}\n`;
    const block = Buffer.from(`${folded}${fields}Date: x\n\nbody`);
    const header = parseHeader(block, 0, block.length);
    expect(header).toMatchObject({ wellFormed: true, bodyAt: block.length - 4 });
    expect(header.fields.size).toBe(2_000);
    expect(header.fields.get('subject')!.length).toBeLessThanOrEqual(64 * 1024);
    expect(header.fields.get('subject')).toMatch(/^(?:a b)(?: b)+$/);
  });
});

describe('a message with a file name', () => {
  const named = (body: string, fields = '') => `Content-Type: message/rfc822; name=m.eml\n${fields}\n${body}`;

  test.each<[mail: string, leaves: [type: string, contains: number][]]>([
    [
      named('\n1'),
      [
        ['message/rfc822', 1],
        ['text/plain', 0],
      ],
    ],
    [
      named(mixed('b', '--b\n\n1\n--b\n\n2\n--b--')),
      [
        ['message/rfc822', 2],
        ['text/plain', 0],
        ['text/plain', 0],
      ],
    ],
    [
      named(named('\n1')),
      [
        ['message/rfc822', 2],
        ['message/rfc822', 1],
        ['text/plain', 0],
      ],
    ],
    [
      named(Buffer.from(named('\n1')).toString('base64'), 'Content-Transfer-Encoding: base64\n'),
      [
        ['message/rfc822', 2],
        ['message/rfc822', 1],
        ['text/plain', 0],
      ],
    ],
  ])('%j contains its parts', (mail, leaves) => {
    expect(structure(mail).leaves.map(({ type, contains }) => [type, contains])).toEqual(leaves);
    expect(structure(mail).leaves.every(({ shown }, index) => shown === (index === 0))).toBe(true);
  });

  test('what is malformed inside is not wrong with the mail', () => {
    expect(structure(named(mixed('b', '--b\n\n1'))).wellFormed).toBe(true);
  });

  test('in encodings inside each other: the innermost stay one leaf', () => {
    let mail = '\n1';
    for (let depth = 0; depth < 9; depth += 1) {
      mail = `Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${Buffer.from(mail).toString('base64')}`;
    }
    expect(structure(mail)).toMatchObject({ wellFormed: false, leaves: [{ type: 'message/rfc822' }] });
  });
});

test.each<[mail: string, shown: boolean[]]>([
  ['\n1', [true]],
  ['Content-Disposition: inline\n\n1', [true]],
  ['Content-Disposition: ATTACHMENT; filename=x\n\n1', [false]],
  [mixed('b', '--b\n\n1\n--b\nContent-Disposition: attachment\n\n2\n--b--'), [true, false]],
  ['Content-Type: message/rfc822\n\nSubject: x\n\n1', [true]],
  ['Content-Type: message/rfc822\nContent-Disposition: attachment\n\nSubject: x\n\n1', [false]],
  ['Content-Type: message/delivery-status\n\nStatus: 5\n\n1', [false]],
  [
    mixed('b', '--b\n\n1\n--b\nContent-Type: message/rfc822\n\nSubject: x\n\n2\n--b--').replace(
      'mixed',
      'report',
    ),
    [true, false],
  ],
])('%j is shown: %j', (mail, shown) => {
  expect(structure(mail).leaves.map((leaf) => leaf.shown)).toEqual(shown);
});
