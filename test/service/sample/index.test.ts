// The sample archive: deterministic, and with every special case that the tour shows.
import { expect, test } from 'vitest';
import PostalMime from 'postal-mime';
import type { ImportedMessage } from '../../../src/service/records/import-items.ts';
import { sampleItems } from '../../../src/service/sample/index.ts';

async function sample(seed: number): Promise<ImportedMessage[]> {
  const messages: ImportedMessage[] = [];
  for await (const item of sampleItems(seed)) {
    if (item.kind === 'refused') throw new Error(item.reason);
    messages.push(item);
  }
  return messages;
}

test('the same seed gives the same bytes', async () => {
  const hashes = async (seed: number) => (await sample(seed)).map(({ sha256 }) => sha256);
  const first = await hashes(7);
  expect(await hashes(7)).toEqual(first);
  expect(await hashes(8)).not.toEqual(first);
  expect(new Set(first).size).toBe(first.length);
});

test('has every special case that the tour shows', async () => {
  const messages = await sample(7);
  const files = messages.flatMap(({ attachments }) => attachments);
  const cities = files.flatMap(({ origin_city }) => origin_city ?? []);
  const emblems = files.filter(({ inline }) => inline);
  const keys = new Set(messages.map(({ key }) => key));
  expect(messages.length).toBeGreaterThan(180);
  expect(files.length).toBeGreaterThan(45);
  expect(new Set(cities)).toEqual(
    new Set(['lisbon', 'kyoto', 'oslo', 'valparaiso', 'nairobi', 'reykjavik', 'hobart']),
  );
  expect(files.filter(({ redaction }) => redaction !== null).length).toBeGreaterThan(3);
  expect(cities.filter((city) => city === 'lisbon').length).toBeGreaterThan(4);
  expect(emblems.length).toBeGreaterThan(8);
  expect(new Set(emblems.map(({ sha256 }) => sha256)).size).toBe(1);
  expect(files.filter(({ trailing_bytes }) => trailing_bytes > 0)).toHaveLength(1);
  expect(
    files.filter((file) => file.declared_type === 'image/png' && file.detected_type === 'application/pdf'),
  ).toHaveLength(1);
  expect(messages.filter(({ parent }) => parent !== null && !keys.has(parent))).toHaveLength(1);
  expect(new Set(messages.map(({ tier }) => tier))).toEqual(new Set(['external', 'internal']));
  expect(messages.filter(({ nature }) => nature === 'automatic').length).toBeGreaterThan(0);
  expect(messages[0]?.attachments).toHaveLength(1);
});

test('every mail is well formed; sixty conversations; only delayed mails are out of order', async () => {
  const messages = await sample(7);
  expect(
    messages.every(({ decodable, wellFormed, date_ms }) => decodable && wellFormed && date_ms !== null),
  ).toBe(true);
  const roots = new Set(messages.map(({ key }) => key?.split('.')[0]));
  expect(roots.size).toBe(60);
  let latest = 0;
  let late = 0;
  for (const { date_ms } of messages) {
    if ((date_ms ?? 0) < latest) late += 1;
    latest = Math.max(latest, date_ms ?? 0);
  }
  expect(late).toBeGreaterThan(2);
  expect(late).toBeLessThan(10);
});

test('postal-mime reads the same attachments', async () => {
  for (const message of (await sample(7)).filter(({ attachments }) => attachments.length > 0)) {
    const mail = await PostalMime.parse(message.raw);
    expect(mail.messageId).toBe(`<${message.key}>`);
    expect(mail.subject).toBe(message.subject);
    expect(mail.attachments.map(({ filename }) => filename)).toEqual(
      message.attachments.map(({ filename }) => filename),
    );
    for (const [index, { content }] of mail.attachments.entries()) {
      expect(
        Buffer.from(content as ArrayBuffer).equals(Buffer.from(message.attachments[index]?.content ?? [])),
      ).toBe(true);
    }
  }
});
