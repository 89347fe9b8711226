// Files in a bucket of a real S3 service. ARX_TEST_S3 is its address, `s3://BUCKET?endpoint=…`, with credentials in AWS_ACCESS_KEY_ID
// and AWS_SECRET_ACCESS_KEY; the bucket exists. Without it the test is skipped.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { awsCredentialsOf } from '../../../../../src/config/aws-credentials.ts';
import { parseBucketAddress } from '../../../../../src/service/store/files/bucket/bucket-address.ts';
import { openBucketFiles } from '../../../../../src/service/store/files/bucket/bucket-files.ts';

const { ARX_TEST_S3: ADDRESS = '' } = process.env;
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

test.skipIf(ADDRESS === '')('files of all sizes, ranges, lists, marks, and what is refused', async () => {
  const place = parseBucketAddress(ADDRESS.replace(/(\?|$)/, `/arx-test-${randomUUID()}$1`), {});
  if (typeof place === 'string') throw new Error(place);
  const world = { sleep: (ms: number) => sleep(ms), randomBytes };
  const credentials = awsCredentialsOf(process.env, '/nowhere', Date.now);
  const blobs = openBucketFiles({ ...place, credentials }, world);
  for (const size of [0, 1, 100_000, 8 * 1024 * 1024, 20 * 1024 * 1024 + 7]) {
    const content = randomBytes(size);
    const sha256 = hashOf(content);
    expect(await blobs.size(sha256)).toBeUndefined();
    expect(
      await blobs.putChunks(
        sha256,
        (async function* () {
          yield content;
        })(),
      ),
    ).toBe(true);
    expect(await blobs.size(sha256)).toBe(size);
    expect((await bytesOf(blobs.read(sha256))).equals(content)).toBe(true);
    if (size > 1000)
      expect((await bytesOf(blobs.read(sha256, 10, 909))).equals(content.subarray(10, 910))).toBe(true);
    const disposition = `attachment; filename="a b"; filename*=UTF-8''a%20b`;
    const sent = await fetch(await blobs.address!(sha256, 30, { type: 'text/plain', disposition }));
    expect((await bytesOf(sent.body as AsyncIterable<Uint8Array>)).equals(content)).toBe(true);
    expect(sent.headers.get('content-disposition')).toBe(disposition);
    if (size > 0 && size <= 100_000) expect(await blobs.readSmall!(sha256, size)).toMatchObject({ size });
    expect(await blobs.names(sha256.slice(0, 2))).toContain(sha256);
  }
  const other = randomBytes(9 * 1024 * 1024);
  expect(
    await blobs.putChunks(
      hashOf(Buffer.from('other')),
      (async function* () {
        yield other;
      })(),
    ),
  ).toBe(false);
  await blobs.mark!.write('mark.json', 'one');
  await blobs.mark!.write('mark.json', 'two');
  expect(await blobs.mark!.read('mark.json')).toBe('one');
  expect(await blobs.writable()).toBe(true);
  await blobs.removeUnfinished(Date.now());
  const wrong = async () => ({ ...(await credentials()), secretAccessKey: 'wrong' });
  await expect(openBucketFiles({ ...place, credentials: wrong }, world).names('00')).rejects.toThrow(
    'refuses these credentials',
  );
  const missing = { ...place, bucket: `arx-${randomUUID()}`, credentials };
  await expect(openBucketFiles(missing, world).names('00')).rejects.toThrow('there is no such bucket');
});
