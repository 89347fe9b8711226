// Import of a mailing list against mu and notmuch on the same messages, in turn; and of 1 GB, for its memory.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARX, inTurn, once, scratchEnv, table } from './timing.mjs';

const LIST = join(import.meta.dirname, '../../../shared/data/lists/samba-technical-2019-2022.mbox.xz');
const GIGABYTE = 1024 ** 3;

export async function bench() {
  if (!existsSync(LIST)) {
    process.stdout.write('\nimport: skipped, ../shared/data is not there\n');
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const mbox = join(dir, 'samba.mbox');
    copyFileSync(LIST, `${mbox}.xz`);
    spawnSync('xz', ['-d', `${mbox}.xz`]);
    await peers(dir, mbox);
    await large(dir, mbox);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function peers(dir, mbox) {
  const maildir = join(dir, 'Maildir');
  // Python's own mailbox module splits the list for the peers, which read Maildirs.
  spawnSync('python3', ['-c', SPLIT, mbox, maildir], { stdio: 'inherit' });
  const fresh = (name) => () => rmSync(join(dir, name), { recursive: true, force: true });
  const cases = {
    'arx import': {
      line: ['node', ARX, 'import', mbox],
      env: scratchEnv(join(dir, 'arx')),
      before: fresh('arx'),
    },
    'arx import, again': { line: ['node', ARX, 'import', mbox], env: scratchEnv(join(dir, 'arx')) },
  };
  const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
  if (has('mu')) {
    const store = join(dir, 'mu');
    cases['mu index'] = {
      line: ['mu', 'index', `--muhome=${store}`, '--quiet'],
      before: () => {
        rmSync(store, { recursive: true, force: true });
        spawnSync('mu', ['init', `--muhome=${store}`, `--maildir=${maildir}`, '--quiet']);
      },
    };
  }
  if (has('notmuch')) {
    const config = join(dir, 'notmuch-config');
    writeFileSync(config, `[database]\npath=${maildir}\n[new]\ntags=\n`);
    cases['notmuch new'] = {
      line: ['notmuch', 'new', '--quiet'],
      env: { NOTMUCH_CONFIG: config, HOME: dir },
      before: () => rmSync(join(maildir, '.notmuch'), { recursive: true, force: true }),
    };
  }
  const medians = inTurn(cases, 5);
  const peer = medians['mu index']?.ms;
  table(
    'Import of samba-technical (39.7 MB, 4,061 messages), medians of 5 in turn',
    Object.entries(medians).map(([name, { ms, kib }]) => ({
      command: name,
      ms: ms.toFixed(0),
      'ratio to mu index': peer === undefined ? 'mu is not here' : (ms / peer).toFixed(2),
      'peak MiB': (kib / 1024).toFixed(0),
      goal: name === 'arx import' ? '≤ 0.6, ≤ 300 MiB' : '',
    })),
  );
}

async function large(dir, mbox) {
  const path = join(dir, 'large.mbox');
  const text = readFileSync(mbox, 'latin1');
  // Copies of other messages: every Message-ID and every reference gets the copy's number.
  for (let copy = 0; !existsSync(path) || statSync(path).size < GIGABYTE; copy++) {
    appendFileSync(
      path,
      text.replaceAll(/^((?:Message-I[Dd]|In-Reply-To|References):.*<)/gm, `$1${copy}.`),
      'latin1',
    );
  }
  mkdirSync(join(dir, 'big'));
  const env = { ...process.env, ...scratchEnv(join(dir, 'big')) };
  const { ms, kib } = once(['node', ARX, 'import', path], env);
  table('Import of 1 GB', [
    {
      bytes: statSync(path).size,
      seconds: (ms / 1000).toFixed(1),
      'MB/s': (statSync(path).size / 1e3 / ms).toFixed(1),
      'peak MiB': (kib / 1024).toFixed(0),
      goal: '≤ 300 MiB',
    },
  ]);
}

const SPLIT = `
import mailbox, sys
source = mailbox.mbox(sys.argv[1])
target = mailbox.Maildir(sys.argv[2])
for key in source.iterkeys():
    target.add(source.get_bytes(key))
`;
