// Real files: imported, served, pulled, recorded and verified, with the digests that other programs computed.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PullReport, VerifyReport } from '../../src/contract/reports/files.ts';
import { arx } from '../support/command.ts';
import { expectedRows, hasRealData, unpackTar } from '../support/real-data.ts';
import { serve, type Served } from '../support/served.ts';
import { readWarc } from '../support/warc.ts';
import { tempFolder } from '../support/temp-folder.ts';

const HERE = hasRealData('files.tar.xz');

describe.skipIf(!HERE)('397 files', () => {
  let dir: string;
  let served: Served;
  let expected: string[];
  beforeAll(async () => {
    dir = tempFolder('files');
    unpackTar('files', dir);
    expected = expectedRows('files')
      .map(([sha256]) => sha256!)
      .sort();
    expect((await arx(dir, 'import files --kind folder')).exit).toBe(0);
    served = await serve(dir);
    const tiers = '--observer-tier internal --requested-tier internal';
    expect((await arx(dir, `login --client-id me ${tiers} --base-url ${served.base_url}`)).exit).toBe(0);
  });
  afterAll(async () => {
    await served.close();
  });

  test('are pulled, each with the hash that others saw', async () => {
    const ran = await arx(
      dir,
      `attachments pull --all --to dl --json --record dl.warc.gz --base-url ${served.base_url}`,
    );
    const { files, verdicts, completeness } = PullReport.parse(JSON.parse(ran.stdout));
    expect([ran.exit, verdicts.match, completeness]).toEqual([0, 397, 'complete']);
    expect(files.map(({ actual }) => actual ?? '').sort()).toEqual(expected);
  });

  test.each([
    ['the manifest', '--offline'],
    ['the catalogue', '--against catalogue'],
  ])('are verified against %s', async (_, flags) => {
    const ran = await arx(dir, `attachments verify dl --json ${flags} --base-url ${served.base_url}`);
    const report = VerifyReport.parse(JSON.parse(ran.stdout));
    expect([ran.exit, report.verdicts.match, report.fixity, report.completeness]).toEqual([
      0,
      397,
      'ok',
      'complete',
    ]);
  });

  test('and by sha256sum', async () => {
    const { stdout } = await arx(dir, 'attachments verify dl -o sums --offline');
    expect(stdout.trim().split('\n')).toHaveLength(397);
    const said = execFileSync('sha256sum', ['-c', '--quiet', '-'], { cwd: join(dir, 'dl'), input: stdout });
    expect(said.toString()).toBe('');
  });

  test('are in the record, as a foreign reader finds them', async () => {
    const records = await readWarc(join(dir, 'dl.warc.gz'));
    const bodies = records.filter(
      ({ type, fields }) => type === 'response' && /\/files\//.test(fields['WARC-Target-URI'] ?? ''),
    );
    const digests = bodies.map(({ fields }) => fields['WARC-Payload-Digest'] ?? '');
    // An empty body has no payload to speak of.
    const given = expected
      .filter((hash) => !hash.startsWith('e3b0c44298fc1c14'))
      .map((hash) => `sha256:${hash}`);
    expect(digests.filter((digest) => digest !== '').sort()).toEqual(given);
    expect(bodies).toHaveLength(397);
  });
});
