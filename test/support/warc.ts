// Reads a WARC file with a foreign reader (warcio), and checks every record and digest.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { WARCParser, WARCSerializer, type WARCRecord } from 'warcio';
import { sha256Of } from './digest.ts';

export type ReadRecord = {
  type: string;
  /** The named fields. */
  fields: Record<string, string>;
  /** Of an HTTP message: its first line and header fields in order. */
  first: string;
  headers: [name: string, value: string][];
  payload: Buffer;
};

/** All records, each checked. Throws what the reader throws. */
export async function readWarc(path: string): Promise<ReadRecord[]> {
  const bytes = readFileSync(path);
  const parser = new WARCParser(piecesOf(bytes), { keepHeadersCase: true });
  const records: ReadRecord[] = [];
  let at = 0;
  for (let record = await parser.parse(); record !== null; record = await parser.parse()) {
    const read = await contentOf(record);
    // Asked after the body was read: only then the reader knows where the member ends.
    const [offset, length] = [parser.offset, parser.recordLength];
    expect(offset).toBe(at);
    at = offset + length;
    checkMember(gunzipSync(bytes.subarray(offset, at)), read);
    records.push(read);
  }
  expect(at).toBe(bytes.length);
  await checkDigests(bytes);
  checkPairs(records);
  return records;
}

/** Everything in the file, and every body that is itself compressed, as one text. */
export async function allText(path: string): Promise<string> {
  const plain = gunzipSync(readFileSync(path)).toString('latin1');
  const bodies = (await readWarc(path)).flatMap(({ payload }) =>
    payload[0] === 0x1f && payload[1] === 0x8b ? [gunzipSync(payload).toString('latin1')] : [],
  );
  return [plain, ...bodies].join('\n');
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function contentOf(record: WARCRecord): Promise<ReadRecord> {
  return {
    type: record.warcType ?? '',
    fields: Object.fromEntries(record.warcHeaders.headers as Iterable<[string, string]>),
    first: record.httpHeaders?.statusline ?? '',
    headers: [...((record.httpHeaders?.headers ?? []) as Iterable<[string, string]>)],
    payload: Buffer.from(await record.readFully(false)),
  };
}

/** By the reader's own computation, by its own idea of what head and payload are. Its heads are trimmed, and UTF-8. */
async function checkDigests(bytes: Buffer): Promise<void> {
  for await (const record of new WARCParser(piecesOf(bytes), { keepHeadersCase: true })) {
    const length = (): string | null | undefined => record.warcHeaders.headers.get('Content-Length');
    const stated = { block: record.warcBlockDigest, payload: record.warcPayloadDigest, length: length() };
    const isPlain = /^[\r\n\x20-\x7e]*$/.test(record.httpHeaders?.toString() ?? '');
    const serializer = new WARCSerializer(record, { digest: { algo: 'sha-256', prefix: 'sha256:' } });
    await serializer.digestRecord({ recompute: true });
    if (isPlain && stated.length === length()) expect(stated.block).toBe(record.warcBlockDigest);
    if (stated.payload) expect(stated.payload).toBe(record.warcPayloadDigest);
  }
}

/** Its bytes by the letter of the standard. */
function checkMember(bytes: Buffer, { fields, type }: ReadRecord): void {
  const end = bytes.indexOf('\r\n\r\n');
  const [version, ...lines] = bytes.toString('utf8', 0, end).split('\r\n');
  expect(version).toBe('WARC/1.1');
  for (const line of lines) expect(line).toMatch(/^[A-Za-z-]+: [^\p{Cc}]+$/u);
  const names = lines.map((line) => line.slice(0, line.indexOf(':')));
  expect(new Set(names).size).toBe(names.length);
  expect(bytes.length).toBe(end + 4 + Number(fields['Content-Length']) + 4);
  expect(bytes.toString('latin1', bytes.length - 4)).toBe('\r\n\r\n');
  const block = bytes.subarray(end + 4, bytes.length - 4);
  expect(fields['WARC-Block-Digest']).toBe(`sha256:${sha256Of(block)}`);
  const isMessage = type === 'request' || type === 'response';
  const payload = isMessage ? block.subarray(block.indexOf('\r\n\r\n') + 4) : Buffer.alloc(0);
  expect(fields['WARC-Payload-Digest']).toBe(
    payload.length === 0 ? undefined : `sha256:${sha256Of(payload)}`,
  );
  expect(fields['WARC-Record-ID']).toMatch(
    /^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/,
  );
  expect(fields['WARC-Date']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect('WARC-Target-URI' in fields).toBe(['request', 'response'].includes(type));
}

/** One warcinfo first, and of request and response each names the other. */
function checkPairs(records: readonly ReadRecord[]): void {
  const byId = new Map(records.map((record) => [record.fields['WARC-Record-ID'], record]));
  expect(byId.size).toBe(records.length);
  expect(records.map(({ type }) => type === 'warcinfo').lastIndexOf(true)).toBe(0);
  for (const { type, fields } of records.slice(1)) {
    expect(fields['WARC-Warcinfo-ID']).toBe(records[0]!.fields['WARC-Record-ID']);
    const other = byId.get(fields['WARC-Concurrent-To'] ?? '');
    if (fields['WARC-Concurrent-To'] === undefined) expect(['request', 'metadata']).toContain(type);
    else {
      expect(other?.fields['WARC-Concurrent-To']).toBe(fields['WARC-Record-ID']);
      expect(other?.fields['WARC-Date']).toBe(fields['WARC-Date']);
      expect(new Set([type, other?.type])).toEqual(new Set(['request', 'response']));
    }
  }
}
