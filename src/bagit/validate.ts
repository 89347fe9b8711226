// Checks whether a BagIt bag is complete and valid (RFC 8493 3). Each file is read once, for all manifests that list it.
import type { BagSummary, Verdict, VerifiedFile, VerifyReport } from '../contract/reports/files.ts';
import { Fault } from '../faults.ts';
import { algorithmsOf, readManifests, type BagManifests, type ExpectedHash } from './manifests.ts';
import { createPathResolver } from './path-resolver.ts';
import type { BagSource } from './folder-source.ts';
import {
  ALGORITHMS,
  decode,
  LACKS,
  manifestName,
  parseDeclaration,
  parseFetch,
  parseInfo,
  type Algorithm,
  type Declaration,
} from './tag-files.ts';
import type { VerifyOptions } from '../verify/check-folder.ts';
import { isHashFailure } from '../verify/hash-pool.ts';
import { BAG_AGAIN, verifyReportOf } from '../verify/verdicts.ts';
import { MAX_REFERENCE_BYTES } from '../verify/reference-file.ts';

const MAX_DECLARATION_BYTES = 4096;

/**
 * Reads a whole bag and returns the report. What is wrong is a verdict or a problem in the report. Throws only if the bag
 * cannot be read at all: Fault 'not_found' without bagit.txt, 'unsafe' for paths that leave the bag and for too many lines,
 * 'integrity' for damaged tag files, 'partial' for an unknown version or encoding. `warn` is called before anything is
 * hashed if the payload has another size than the bag says.
 */
export async function checkBag(
  source: BagSource,
  name: string,
  options: VerifyOptions & { warn: (text: string) => void },
): Promise<VerifyReport> {
  if (source.others.has('bagit.txt')) throw new Fault('unsafe', `${name}: bagit.txt cannot be read`);
  if (!source.files.has('bagit.txt')) throw new Fault('not_found', `${name} has no bagit.txt`);
  const declaration = parseDeclaration(await source.read('bagit.txt', MAX_DECLARATION_BYTES));
  const problems: BagSummary['problems'] = source.oddities.map((what) => ({ kind: 'odd', what }));
  const wrong = (what: string) => void problems.push({ kind: 'integrity', what });
  if (!source.hasPayload) wrong('the bag has no payload directory data/');
  const text = async (path: string): Promise<string> => {
    const bytes = await source.read(path, MAX_REFERENCE_BYTES);
    if (/^utf-?8$/i.test(declaration.encoding) && bytes[0] === 0xef && bytes[1] === 0xbb)
      problems.push({ kind: 'odd', what: `${path} begins with a byte-order mark` });
    return decode(bytes, declaration.encoding, path);
  };

  /** Parses a tag file that is optional. A damaged one is a problem of the report. */
  const optional = async <T>(path: string, parse: (text: string) => Iterable<T>): Promise<T[]> => {
    try {
      return source.files.has(path) ? [...parse(await text(path))] : [];
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'integrity') throw error;
      wrong(error.message);
      return [];
    }
  };

  const resolve = createPathResolver(source.files, declaration.isOld);
  const listed = await readManifests(source, declaration, { resolve, text, problems });
  const payload = [...source.files].filter((path) => path.startsWith('data/'));
  const fetch = (await optional('fetch.txt', parseFetch)).map((line) => ({
    ...line,
    path: resolve(line.path).path,
  }));
  for (const { path } of fetch) {
    if (!listed.expected.has(path) || !path.startsWith('data/'))
      problems.push({
        kind: declaration.isOld ? 'odd' : 'integrity',
        what: `fetch.txt names ${path}, which is no listed payload file`,
      });
  }
  const info = await optional('bag-info.txt', (each) => parseInfo(each, declaration.isOld));
  const oxums = info.filter(([label]) => label === 'payload-oxum').map(([, value]) => value);
  for (const claimed of oxums) {
    const actual = `${await source.octets(payload)}.${payload.length}`;
    if (claimed === actual) continue;
    wrong(`the payload is ${actual}, but Payload-Oxum says ${claimed}`);
    options.warn(`the payload has another size than the bag says (${claimed}); it is hashed all the same`);
  }
  if (oxums.length > 1) wrong('bag-info.txt has more than one Payload-Oxum');
  // The bag is whole as a bag, so that is no failure of it.
  const lacking = lackingIn(info);
  for (const { what } of lacking) problems.push({ kind: 'lacking', what });

  const files = await checkFiles(source, listed, options, wrong, declaration);
  const report = verifyReportOf(files, true);
  const isWhole = report.completeness === 'complete' && !problems.some(({ kind }) => kind === 'integrity');
  return {
    ...report,
    completeness:
      !isWhole || lacking.some(({ isCertain }) => isCertain)
        ? 'incomplete'
        : lacking.length > 0
          ? 'unknown'
          : 'complete',
    bag: {
      version: declaration.version,
      encoding: declaration.encoding,
      algorithms: algorithmsOf(listed),
      payload_oxum: oxums[0] ?? null,
      fetch,
      problems,
    },
  };
}

/** What a bag lacks of the archive, or may lack. */
type Lack = { what: string; isCertain: boolean };

const MAY_LACK: Lack = {
  what: 'the bag may lack files: its pull did not end, or could not tell of all rows whether they match',
  isCertain: false,
};

/** Returns what a bag of ours says that it lacks of the archive. */
function lackingIn(info: readonly [label: string, value: string][]): Lack[] {
  const valueOf = (name: string) => info.find(([label]) => label === name.toLowerCase())?.[1];
  const files = (name: string, state: string): Lack[] => {
    const count = Number(valueOf(name) ?? 0);
    return count > 0 ? [certain(`the bag lacks ${count === 1 ? '1 file' : `${count} files`} ${state}`)] : [];
  };
  return [
    ...files(LACKS.withheld, 'withheld when it was made'),
    ...files(LACKS.absent, 'absent from the archive'),
    ...(valueOf(LACKS.undecided) === 'unknown' ? [MAY_LACK] : []),
    ...(valueOf(LACKS.walk) === 'no'
      ? [certain('the walk in the bag did not reach the end of its list')]
      : []),
  ];
}

const certain = (what: string): Lack => ({ what, isCertain: true });

/** Returns every reason why a bag failed, beside the verdicts of its files. With `strict`, what it lacks of the archive is one. */
export function bagFaultsOf(bag: BagSummary | undefined, { strict }: { strict: boolean }): Fault[] {
  return (bag?.problems ?? []).flatMap(({ kind, what }) => {
    if (kind === 'lacking') return strict ? [new Fault('partial', what)] : [];
    return kind === 'odd' ? [] : [new Fault(kind, what, kind === 'integrity' ? { hint: BAG_AGAIN } : {})];
  });
}

async function checkFiles(
  source: BagSource,
  listed: BagManifests,
  options: VerifyOptions,
  wrong: (what: string) => void,
  { isOld }: Declaration,
): Promise<VerifiedFile[]> {
  const algorithms = algorithmsOf(listed);
  const paths = [...listed.expected.keys()].filter((path) => source.files.has(path));
  const { hashes, bytes } = await source.hash(paths, { ...options, algorithms });
  const found = new Map(paths.map((path, at) => [path, { hashes: hashes[at]!, bytes: bytes[at]! }]));
  const files = [...listed.expected].map(([path, wanted]): VerifiedFile => {
    // Before 1.0 it is enough if one manifest lists a file, and tag manifests need not be complete.
    if (!isOld && path.startsWith('data/'))
      for (const manifest of listed.payloadManifests)
        if (!lists(listed, manifest, path)) wrong(`${manifest} does not list ${path}`);
    const failure = source.others.get(path);
    const seen = found.get(path) ?? (failure === undefined ? undefined : { hashes: failure, bytes: 0 });
    return checkFile(path, wanted, seen, algorithms);
  });
  if (!isOld)
    for (const manifest of listed.payloadManifests)
      for (const tags of listed.manifests)
        if (manifestName(tags)?.isTag === true && !lists(listed, tags, manifest))
          wrong(`${tags} does not list ${manifest}`);
  const unlisted = [...source.files, ...source.others.keys()].filter((path) => !listed.expected.has(path));
  for (const path of unlisted) {
    const isPayload = path.startsWith('data/');
    if (isPayload) wrong(`no manifest lists ${path}`);
    // The tag files of BagIt itself need not be listed.
    else if (BAGIT_TAG_FILES.test(path) || listed.manifests.includes(path)) continue;
    files.push({ path, id: null, verdict: 'extra', expected: null, actual: null, bytes: null });
  }
  return files;
}

const lists = ({ expected: wanted }: BagManifests, manifest: string, path: string): boolean =>
  wanted.get(path)?.some((each) => each.manifest === manifest) === true;

const BAGIT_TAG_FILES = /^(?:bagit|bag-info|fetch)\.txt$/;

function checkFile(
  path: string,
  wanted: readonly ExpectedHash[],
  seen: { hashes: string; bytes: number } | undefined,
  algorithms: readonly Algorithm[],
): VerifiedFile {
  const shown = [...wanted].sort((a, b) => rankOf(a) - rankOf(b))[0]!;
  const row = (verdict: Verdict, { hash }: ExpectedHash, actual?: string): VerifiedFile => {
    const bytes = verdict === 'missing' || isHashFailure(seen!.hashes) ? null : seen!.bytes;
    return { path, id: null, verdict, expected: hash, actual: actual ?? null, bytes };
  };
  if (seen === undefined) return row('missing', shown);
  if (isHashFailure(seen.hashes))
    return row(seen.hashes === 'changed' ? 'unverifiable' : 'unreadable', shown);
  const hashes = seen.hashes.split(' ');
  const actualOf = ({ algorithm }: ExpectedHash) => hashes[algorithms.indexOf(algorithm as Algorithm)];
  const differing = wanted.find((each) => (actualOf(each) ?? each.hash) !== each.hash);
  if (differing !== undefined) return row('mismatch', differing, actualOf(differing));
  const actual = actualOf(shown);
  return row(actual === undefined ? 'unverifiable' : 'match', shown, actual);
}

const rankOf = ({ algorithm }: ExpectedHash): number => {
  const rank = (ALGORITHMS as readonly string[]).indexOf(algorithm);
  return rank === -1 ? ALGORITHMS.length : rank;
};
