// Bags with odd file names are valid for bagit-python, the checker that most archives use.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** `.ci/run` names a folder with the module in ARX_TEST_BAGIT where the system has no package of it. */
const env = { ...process.env, PYTHONPATH: process.env['ARX_TEST_BAGIT'] ?? process.env['PYTHONPATH'] ?? '' };
const run = (command: string, code: string, ...args: string[]) =>
  spawnSync(command, ['-c', `import bagit, sys\n${code}`, ...args], { env, encoding: 'utf8' });
const interpreter = ['python3', '/usr/bin/python3'].find((command) => run(command, '').status === 0);
const noBagit = interpreter === undefined;
const python = (code: string, ...args: string[]) => run(interpreter!, code, ...args);
if (noBagit) console.warn('bagit-python is not here: bags are not checked by it');

const CHECK = `
try:
    bag = bagit.Bag(sys.argv[1])
    bag.validate(processes=1)
    print(len(list(bag.payload_files())))
except (bagit.BagError, UnicodeError, ValueError) as error: print('invalid:', error)
`;
const validated = (path: string): string => {
  const { stdout, stderr } = python(CHECK, path);
  return stdout.trim() || stderr;
};
const UNZIP = 'import zipfile\nzipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';

const NAMES = [
  '100%.txt',
  'a%25b%0Ac.txt',
  '%0D',
  'grüße.txt',
  'gru\u0308\u00dfe.txt',
  ' space before',
  'space after ',
  'two  spaces.txt',
  '* star.txt',
  'back\\slash.txt',
  'line\nbreak.txt',
  'return\rhere.txt',
  'tab\there.txt',
  'con.txt',
  '-dash',
  '~tilde',
  'quote\'d "twice".txt',
  '漢字 😀.txt',
  'data',
  'manifest-sha256.txt',
  `${'long'.repeat(60)}.txt`,
  '.hidden',
];

test.skipIf(noBagit)('odd names', async () => {
  const dir = tempFolder('bagit-python');
  mkdirSync(join(dir, 'files'));
  for (const [at, name] of NAMES.entries()) writeFileSync(join(dir, 'files', name), `content ${at}`);
  expect((await arx(dir, 'import files --kind folder')).exit).toBe(0);
  expect((await arx(dir, 'attachments pull --all --to dl')).exit).toBe(0);
  expect((await arx(dir, 'conversations walk --freeze walk')).exit).toBe(0);
  for (const to of ['bag', 'bag.zip'])
    expect((await arx(dir, `attachments export dl --to ${to} --frozen walk`)).exit).toBe(0);
  // The catalogue, the crate and the files of the walk are payload, too.
  const walk = readdirSync(join(dir, 'bag/data/walk')).length;
  const payload = String(NAMES.length + 2 + walk);
  expect(validated(join(dir, 'bag'))).toBe(payload);
  python(UNZIP, join(dir, 'bag.zip'), join(dir, 'unzipped'));
  const [top = ''] = readdirSync(join(dir, 'unzipped'));
  expect(validated(join(dir, 'unzipped', top))).toBe(payload);
  // What it says of a bag that is not valid, so that this test can fail.
  appendFileSync(join(dir, 'bag/data/files', readdirSync(join(dir, 'bag/data/files'))[0]!), 'x');
  expect(validated(join(dir, 'bag'))).toMatch(/^invalid: /);
});
