// Reads the SHA-256 of a file from a row of any service. A hash that may be of another algorithm is not used.
import { foldedName } from '../../contract/field-names.ts';
import { isRecord, type JsonRecord } from './json-path.ts';

/** Fields that hold a SHA-256 by their name, in one spelling (see foldedName). */
const SHA256_NAMES = new Set([
  'sha256',
  'sha256sum',
  'sha256hash',
  'sha256hex',
  'filesha256',
  'contentsha256',
]);
/** Fields that hold a hash whose algorithm is said elsewhere. */
const HASH_NAMES = new Set(['hash', 'checksum', 'digest', 'contenthash', 'filehash', 'hashes', 'checksums']);
/** Fields that name the algorithm of a hash beside them. */
const ALGORITHM_NAMES = new Set([
  'algorithm',
  'alg',
  'hashalgorithm',
  'hashtype',
  'checksumalgorithm',
  'checksumtype',
  'digestalgorithm',
]);

/**
 * Returns the SHA-256 that a row gives for its file, in lower-case hex; undefined where none of its fields is certainly one:
 * the name of the field, a prefix of the value or a field beside it must name the algorithm.
 */
export function certainSha256(row: JsonRecord): string | undefined {
  const fields = Object.entries(row).map(([name, value]) => [foldedName(name), value] as const);
  const named = fields.filter(([name]) => SHA256_NAMES.has(name)).map(([, value]) => hexOf(value, true));
  const isSaid = fields.some(([name, value]) => ALGORITHM_NAMES.has(name) && isSha256Name(value));
  const others = fields.filter(([name]) => HASH_NAMES.has(name)).map(([, value]) => hashOf(value, isSaid));
  const found = new Set([...named, ...others].filter((hash) => hash !== undefined));
  // Two different hashes cannot both be that of the file.
  return found.size === 1 ? [...found][0] : undefined;
}

function hashOf(value: unknown, isSaid: boolean): string | undefined {
  if (!isRecord(value)) return hexOf(value, isSaid);
  const fields = Object.entries(value).map(([name, field]) => [foldedName(name), field] as const);
  const named = fields.find(([name]) => SHA256_NAMES.has(name));
  if (named !== undefined) return hexOf(named[1], true);
  const isNamed = fields.some(([name, field]) => ALGORITHM_NAMES.has(name) && isSha256Name(field));
  const inner = fields.find(([name]) => ['value', 'hex', 'hash', 'digest', 'checksum'].includes(name));
  return inner === undefined ? undefined : hexOf(inner[1], isNamed);
}

function isSha256Name(value: unknown): boolean {
  return typeof value === 'string' && /^sha[-_ ]?256$/i.test(value);
}

/** Returns 32 bytes that are written in hex or base64, as hex. `isSha256`: the algorithm is known without a prefix. */
function hexOf(value: unknown, isSha256: boolean): string | undefined {
  if (typeof value !== 'string' || value.length > 200) return undefined;
  const prefix = /^sha-?256[:=-]\s*/i.exec(value)?.[0] ?? '';
  if (prefix === '' && !isSha256) return undefined;
  // `sha-256=:…:` is a digest as HTTP fields write it.
  const text = value.slice(prefix.length).replace(/^:(.*):$/, '$1');
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 ? bytes.toString('hex') : undefined;
}
