// The address of a bucket, `s3://BUCKET/PREFIX?endpoint=…&region=…`, as `--blobs` takes it.
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../../../contract/loopback.ts';

/** What signs requests. */
export type BucketCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** A bucket, or what begins with a prefix in it, at a service that speaks the protocol of S3. */
export type BucketPlace = {
  /** For messages: `s3://BUCKET/PREFIX`. */
  name: string;
  bucket: string;
  /** Begins every key: empty, or with a slash at its end. */
  prefix: string;
  endpoint: string;
  region: string;
  /** The bucket is named in the path of a URL, not in its host. */
  isPathStyle: boolean;
  /**
   * Called for each request; `isRefused` where the service refused what it returned. Throws Fault 'auth' where there are none,
   * 'network' where they cannot be had now.
   */
  credentials(isRefused?: boolean): Promise<BucketCredentials>;
};

/** What applies where the address does not say it: the usual settings for programs that use S3. */
export type BucketDefaults = { endpoint?: string | undefined; region?: string | undefined };

const DEFAULT_REGION = 'us-east-1';
const PARAMETERS = new Set(['endpoint', 'region', 'path-style', 'insecure-http']);

/** Returns whether a place for files is the address of a bucket. */
export function isBucketAddress(text: string): boolean {
  return /^s3:/i.test(text);
}

/** Returns the bucket that an address names, without credentials; or what is wrong with it. */
export function parseBucketAddress(
  text: string,
  defaults: BucketDefaults,
): Omit<BucketPlace, 'credentials'> | string {
  const [place, query] = cutAt(text.replace(/^s3:\/\//i, ''), '?');
  const [bucket, path] = cutAt(place, '/');
  if (!/^s3:\/\//i.test(text) || text.includes('#') || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket))
    return 'it names no bucket: s3://BUCKET or s3://BUCKET/PREFIX';
  const parts = path.split('/').filter((part) => part !== '');
  // Nothing that one side would encode and the other would not.
  if (!parts.every((part) => /^[\w!.-]+$/.test(part) && !/^\.+$/.test(part)))
    return 'a prefix has letters, digits, and - _ . ! between slashes';
  const given = new URLSearchParams(query);
  const names = [...given.keys()];
  const wrong = names.find((name, at) => !PARAMETERS.has(name) || names.indexOf(name) !== at);
  if (wrong !== undefined)
    return `"${wrong.slice(0, 40)}" is none of ${[...PARAMETERS].join(', ')}, or is there twice`;
  const region = given.get('region') || defaults.region || DEFAULT_REGION;
  if (!/^[\w-]{1,64}$/.test(region)) return 'the region is none';
  const style = given.get('path-style');
  const insecure = given.get('insecure-http');
  if (![style, insecure].every((value) => value === null || value === 'yes' || value === 'no'))
    return 'path-style and insecure-http are yes or no';
  const own = given.get('endpoint') || defaults.endpoint;
  const endpoint = own ?? `https://s3.${region}.amazonaws.com`;
  if (!isEndpoint(endpoint))
    return 'the endpoint is http://… or https://…, without a user, a query or a fragment';
  if (insecure !== 'yes' && !isSafe(new URL(endpoint)))
    return 'plain http would carry files over the internet: use https, or insecure-http=yes if you accept that';
  return {
    name: `s3://${[bucket, ...parts].join('/')}`,
    bucket,
    prefix: parts.map((part) => `${part}/`).join(''),
    endpoint: endpoint.replace(/\/$/, ''),
    region,
    // Servers other than those of Amazon seldom have a host name for each bucket; a name with dots fits no certificate.
    isPathStyle: style === null ? own !== undefined || bucket.includes('.') : style === 'yes',
  };
}

const PRIVATE = new BlockList();
for (const [network, bits, family] of [
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
] as const)
  PRIVATE.addSubnet(network, bits, family);

/** Returns whether an endpoint has TLS, or is on this machine, at a private address, or at a name without a dot, as in a cluster. */
function isSafe({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:' || isLoopback(hostname)) return true;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family === 0) return !host.includes('.');
  return PRIVATE.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns what stands before and after the first sign. */
function cutAt(text: string, sign: string): [before: string, after: string] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username + password + search + hash === '';
}
