// Builds BagIt bags in memory and on disk, valid ones and broken ones.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from './digest.ts';

export type BagPlan = {
  version?: string;
  encoding?: string;
  algorithms?: string[];
  payload?: Record<string, string>;
  info?: string;
  /** Tag files beside those that every bag has; they are listed in the tag manifests. */
  tags?: Record<string, string>;
  /** How manifests write a path. */
  written?: (path: string) => string;
  encode?: (text: string) => Buffer;
};

/** Path below the base directory → content. */
export function bagOf({
  version = '1.0',
  encoding = 'UTF-8',
  algorithms = ['sha256'],
  payload = { 'hello.txt': 'hello', 'sub/b.bin': 'b' },
  info = 'Source-Organization: a test\n',
  tags = {},
  written = (path) => path,
  encode = (text) => Buffer.from(text),
}: BagPlan = {}): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const [path, content] of Object.entries(payload)) files.set(`data/${path}`, Buffer.from(content));
  const data = [...files];
  files.set(
    'bagit.txt',
    Buffer.from(`BagIt-Version: ${version}\nTag-File-Character-Encoding: ${encoding}\n`),
  );
  files.set('bag-info.txt', encode(info));
  for (const [path, content] of Object.entries(tags)) files.set(path, Buffer.from(content));
  const manifest = (algorithm: string, listed: readonly [string, Buffer][]) =>
    encode(listed.map(([path, content]) => `${digestOf(algorithm, content)}  ${written(path)}\n`).join(''));
  for (const algorithm of algorithms) files.set(`manifest-${algorithm}.txt`, manifest(algorithm, data));
  const tagFiles = [...files].filter(([path]) => !path.startsWith('data/'));
  for (const algorithm of algorithms)
    files.set(`tagmanifest-${algorithm}.txt`, manifest(algorithm, tagFiles));
  return files;
}

export function writeBag(dir: string, files: ReadonlyMap<string, string | Buffer>): void {
  mkdirSync(join(dir, 'data'), { recursive: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}
