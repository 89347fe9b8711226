// Reads the manifests of a bag: each file with every hash that a manifest gives it (RFC 8493 2.1.3, 2.2.1).
import type { BagSummary } from '../contract/reports/files.ts';
import type { createPathResolver } from './path-resolver.ts';
import type { BagSource } from './folder-source.ts';
import {
  ALGORITHMS,
  isKnownAlgorithm,
  manifestName,
  parseManifest,
  type Algorithm,
  type Declaration,
} from './tag-files.ts';
import { nameKey } from '../download/safe-name.ts';

/** A hash that a manifest gives a file. */
export type ExpectedHash = { manifest: string; algorithm: string; hash: string };
/** What the manifests of a bag say: the hashes each file must have, and which manifests there are. */
export type BagManifests = {
  /** Payload files and tag files, by the name on the disk if the file exists. */
  expected: Map<string, ExpectedHash[]>;
  manifests: string[];
  payloadManifests: string[];
};

type Reading = {
  resolve: ReturnType<typeof createPathResolver>;
  text: (path: string) => Promise<string>;
  problems: BagSummary['problems'];
};

/**
 * Reads all manifests. Adds what is wrong with their lines to `problems`. Throws as {@link parseManifest}. `text` returns a
 * tag file in the bag's encoding; `resolve` returns the file that a written path means.
 */
export async function readManifests(
  source: BagSource,
  { isOld }: Declaration,
  { resolve, text, problems }: Reading,
): Promise<BagManifests> {
  const listed: BagManifests = { expected: new Map(), manifests: [], payloadManifests: [] };
  for (const manifest of [...source.files].sort()) {
    const name = manifestName(manifest);
    if (name === undefined) continue;
    const { isTag, algorithm } = name;
    listed.manifests.push(manifest);
    if (!isTag) listed.payloadManifests.push(manifest);
    if (!isKnownAlgorithm(algorithm))
      problems.push({ kind: 'partial', what: `${manifest}: the algorithm is not supported` });
    const own = new Map<string, string>();
    let isMarked = false;
    let dotted = 0;
    for (const { line, hash, path: written, isBinary, isDotted } of parseManifest(
      await text(manifest),
      manifest,
      algorithm,
    )) {
      const { path, isOtherForm } = resolve(written);
      isMarked ||= isBinary;
      dotted += Number(isDotted);
      if (path.startsWith('data/') === isTag) {
        problems.push({
          kind: 'integrity',
          what: `${manifest}: line ${line} names a file ${isTag ? 'inside' : 'outside'} the payload`,
        });
        continue;
      }
      if (isOtherForm)
        problems.push({ kind: 'odd', what: `${manifest} names ${path} in another Unicode form` });
      const twice = own.get(path);
      if (twice !== undefined)
        problems.push({
          kind: isOld && twice === hash ? 'odd' : 'integrity',
          what: `${manifest} lists ${path} twice`,
        });
      own.set(path, hash);
      const expected = listed.expected.get(path);
      if (expected === undefined) listed.expected.set(path, [{ manifest, algorithm, hash }]);
      else expected.push({ manifest, algorithm, hash });
    }
    if (dotted > 0) {
      const what = `${manifest} writes paths with ./ or // (${dotted}), which some programs do not find`;
      problems.push({ kind: 'odd', what });
    }
    if (isMarked) problems.push({ kind: 'odd', what: `${manifest} marks names as binary, as md5sum does` });
  }
  if (listed.payloadManifests.length === 0)
    problems.push({ kind: 'integrity', what: 'the bag has no payload manifest' });
  const keys = new Map<string, string>();
  for (const path of listed.expected.keys()) {
    const other = keys.get(nameKey(path));
    if (other !== undefined)
      problems.push({ kind: 'odd', what: `${other} and ${path} are one name on some systems` });
    keys.set(nameKey(path), path);
  }
  return listed;
}

/** Returns the known algorithms of the manifests, the one to show first. */
export function algorithmsOf({ manifests }: BagManifests): Algorithm[] {
  const named = new Set(manifests.map((manifest) => manifestName(manifest)?.algorithm));
  return ALGORITHMS.filter((algorithm) => named.has(algorithm));
}
