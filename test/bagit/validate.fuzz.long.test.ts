// Fuzzing of bags: what is changed is found, no path leaves the bag, and a bag that cannot be read is a Fault.
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import type { BagSource } from '../../src/bagit/folder-source.ts';
import { bagFaultsOf, checkBag } from '../../src/bagit/validate.ts';
import { Fault } from '../../src/faults.ts';
import { leavesFolder } from '../../src/verify/checksum-list.ts';
import { bagOf } from '../support/bag.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../support/fuzz.ts';
import { textChanges } from '../support/fuzz-inputs.ts';

const FETCH = 'https://archive.test/a 5 data/hello.txt\n';
const BAGS = [
  bagOf({ tags: { 'fetch.txt': FETCH } }),
  bagOf({ algorithms: ['md5', 'sha512'], info: 'Payload-Oxum: 6.2\nExternal-Description: a\n b\n' }),
  bagOf({ version: '0.97', written: (path) => `./${path}`, payload: { 'a%0Ab': 'x', 'ä.txt': 'y' } }),
].map((files) => new Map([...files].map(([path, bytes]) => [path, bytes.toString('latin1')])));

const HASH = '0'.repeat(64);
const TOKENS = [
  'BagIt-Version: 1.0\n',
  'BagIt-Version: 0.97\n',
  'BagIt-Version: 99999999999999999999.1\n',
  'Tag-File-Character-Encoding: UTF-8\n',
  'Tag-File-Character-Encoding: UTF-16\n',
  'Tag-File-Character-Encoding: latin1\n',
  `${HASH}  data/hello.txt\n`,
  `${HASH} *data/../../x\n`,
  `${HASH}  ./data/./hello.txt\n`,
  `${HASH}  data/%2e%2e/x\n`,
  `${HASH}  data/a%0Ab\n`,
  `${HASH}\tC:\\x\n`,
  `${HASH}  ~/x\n`,
  `${HASH}  /etc/x\n`,
  `${HASH}  bagit.txt\n`,
  'https://x - data/~/x\n',
  'https://x 9999999999999999 data/b\n',
  'Payload-Oxum: 6.2\n',
  'Payload-Oxum: 99999999999999999999.0\n',
  'Bag-Size:\n',
  ' folded\n',
  '  ',
  '\t',
  'data/',
  '%25',
  '%0A',
  'A\u0308',
];
const changes = textChanges({
  corpus: BAGS.flatMap((files) => [...files.values()]),
  tokens: TOKENS,
  maxBytes: 1_000,
});

/** A bag in memory. */
function sourceOf(files: ReadonlyMap<string, string>): BagSource {
  const bytesOf = (path: string): Buffer => Buffer.from(files.get(path) ?? '', 'latin1');
  return {
    files: new Set(files.keys()),
    others: new Map(),
    hasPayload: true,
    oddities: [],
    read: async (path) => bytesOf(path),
    octets: async (paths) => paths.reduce((sum, path) => sum + bytesOf(path).length, 0),
    hash: async (paths, { algorithms }) => ({
      hashes: paths.map((path) =>
        algorithms.map((name) => createHash(name).update(bytesOf(path)).digest('hex')).join(' '),
      ),
      bytes: paths.map((path) => bytesOf(path).length),
    }),
    close: () => {},
  };
}

const OPTIONS = { warn: () => {} } as unknown as Parameters<typeof checkBag>[2];
const KINDS: ReadonlySet<string> = new Set(['integrity', 'unsafe', 'partial', 'not_found']);

test('a changed bag is never valid, and no path leaves it', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make(draw) {
      const files = draw.of(BAGS);
      const names = [...files.keys()];
      const changed = new Map(files);
      for (let count = 1 + draw.below(2); count > 0; count -= 1) {
        const name = draw.of(names);
        changed.set(name, changes(files.get(name)!, draw));
      }
      return { files, changed };
    },
    async check({ files, changed }) {
      let report;
      try {
        report = await checkBag(sourceOf(changed), 'bag', OPTIONS);
      } catch (error) {
        if (!(error instanceof Fault) || !KINDS.has(error.kind)) throw error;
        if (error.message === '' || error.message.length > 2_000)
          throw new Error(`message ${error.message}`, { cause: error });
        return;
      }
      for (const { path } of [...report.files, ...(report.bag?.fetch ?? [])])
        if (path === null || leavesFolder(path))
          throw new Error(`the path ${JSON.stringify(path)} leaves the bag`);
      // Nothing has the hash of a tag manifest. While they are as they were, every other change is found.
      const differing = [...files].filter(([path, text]) => changed.get(path) !== text).map(([path]) => path);
      if (differing.length === 0 || differing.some((path) => path.startsWith('tagmanifest'))) return;
      const isBad = report.files.some(({ verdict }) => verdict !== 'match' && verdict !== 'extra');
      if (
        report.completeness === 'complete' &&
        !isBad &&
        bagFaultsOf(report.bag, { strict: false }).length === 0
      )
        throw new Error(`valid although ${differing.join(', ')} changed`);
    },
    show: ({ files, changed }) =>
      JSON.stringify([...changed].filter(([path, text]) => files.get(path) !== text)),
  }),
);
