// A plausible mistake with each command: the error says what is wrong with which thing, and its hint what to do.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dir = tempFolder('next-steps');
beforeAll(async () => {
  await sampleData(join(dir, 'data'));
  writeFileSync(join(dir, 'file'), 'text\n');
  mkdirSync(join(dir, 'folder'));
});

const FOLDER = 'name a folder, or one that does not exist yet';
const WALK = 'arx conversations walk --freeze DIR makes one';

test.each<[line: string, exit: number, message: string, hint: string]>([
  ['attachments list', 2, "unknown command 'attachments list'", 'did you mean: arx attachments ls'],
  ['attachments download', 2, "unknown command 'attachments download'", 'did you mean: arx attachments pull'],
  ['conversations get', 2, "unknown command 'conversations get'", 'did you mean: arx conversations show'],
  ['archive delete x', 2, "unknown command 'archive delete'", 'did you mean: arx archive drop'],
  [
    'attachments ls --after nosuch',
    2,
    '--after: nosuch is not an id of this list',
    '--after and --before take ids of rows',
  ],
  ['messages ls --after 2019 --limit 3', 2, '--after: 2019 is not an id', 'by date: --since 2019'],
  ['messages ls --before=msg_99999', 6, '--before: no msg_99999 in', '--after and --before take ids of rows'],
  ['messages ls --conversation msg_1', 2, '--conversation: must have the form', 'arx help messages ls'],
  ['attachments ls --message att_1', 2, '--message: must have the form', 'arx help attachments ls'],
  ['messages ls --profile', 2, "option '--profile <name>' argument missing", 'arx help options'],
  ['health --color red', 2, "argument 'red' is invalid", 'arx help options'],
  ['conversations verify file', 13, 'file: not a folder', 'arx conversations walk --freeze DIR makes one'],
  ['api /nope', 6, 'nothing is served under this path: /nope', 'arx api /openapi.json describes all paths'],
  ['messages show -', 2, '<id> cannot be -: it is one message', 'arx help messages show'],
  ['search letter --after x', 2, '--after: x is not an id', 'arx help search'],
  ['attachments pull att_1 --to file', 13, '/file is not a folder', FOLDER],
  [
    'attachments pull --ids nosuch',
    2,
    'cannot read nosuch (no such file or folder)',
    'arx help attachments pull',
  ],
  ['attachments verify file', 13, '/file is not a folder', 'name the folder of a pull, or a bag'],
  ['attachments export file --to bag', 13, '/file: not a folder', 'name the folder of a pull'],
  ['conversations walk --freeze file', 13, '/file is not a folder', FOLDER],
  ['conversations verify nosuch', 6, 'no frozen walk in ', WALK],
  ['conversations diff folder folder', 6, 'no frozen walk in ', WALK],
  ['conversations plot nosuch', 6, 'no frozen walk in ', WALK],
  ['messages show msg_99999', 6, 'no message msg_99999 in this archive', 'arx messages ls lists them'],
  ['events send --file nosuch', 2, 'cannot read nosuch (no such file or folder)', 'arx help events send'],
  ['events send --file folder', 2, 'cannot read folder (is a folder)', 'arx help events send'],
  ['conversations export conv_1 --to none/x.mbox', 14, '/none: no such folder', 'make it first'],
  ['report --html none/x.html', 14, '/none: no such folder', 'make it first'],
  ['conversations walk --report none/x.json', 14, '/none: no such folder', 'make it first'],
  [
    'redact att_1 --yes --base-url http://127.0.0.1:9',
    2,
    'redact works on the local archive only',
    'on the machine of the service',
  ],
  ...(
    [
      ['fsck --since 3d', 'arx fsck --since 3d --local'],
      ['backup --to copy', 'arx backup --to copy --local'],
      ['import folder file', 'arx import folder file --local'],
    ] as const
  ).map(
    ([line, hint]) =>
      [`${line} --base-url=http://127.0.0.1:9`, 2, 'on the local archive, and a base URL is set', hint] as [
        string,
        number,
        string,
        string,
      ],
  ),
  [
    'tokens revoke --all --base-url http://127.0.0.1:9',
    2,
    'works on the database of an archive, and a base URL is set',
    'arx tokens revoke --all --local',
  ],
  [
    'redact msg_1 --yes',
    2,
    'msg_1 is no file: only files can be withheld, not the text of messages',
    'the files of a message',
  ],
  ['redact att_99999 --yes', 6, 'no attachment att_99999', 'arx attachments ls --all lists them'],
  ['backup', 2, '--to: name the folder of the backup', 'arx help backup'],
  ['backup --to file', 13, '/file: exists already', 'name a folder of an earlier backup'],
  [
    'report --html folder',
    13,
    'folder exists and is not a regular file',
    'name a file, or - for standard output',
  ],
  ['blobs move', 2, '--to: is missing', 'arx help blobs move'],
  ['config get basurl', 2, 'no setting "basurl"', 'did you mean: base_url; arx config ls shows them'],
  ['health -o xml', 2, "argument 'xml' is invalid", 'arx help output'],
  ['health -o jsn', 2, "argument 'jsn' is invalid", 'did you mean: json'],
])('arx %s', async (line, exit, message, hint) => {
  const ran = await arx(dir, line);
  const [first = '', ...rest] = ran.stderr.split('\n');
  expect([ran.exit, ran.stdout, first]).toEqual([exit, '', expect.stringContaining(message)]);
  expect(rest.find((text) => text.startsWith('  hint: '))).toContain(hint);
});

test('cursors that exclude each other are named by their options', async () => {
  const { exit, stderr } = await arx(dir, 'messages ls --after msg_5 --before msg_3');
  expect([exit, stderr]).toEqual([
    7,
    expect.stringContaining('arx: --after msg_5 is later in sequence than --before msg_3 ['),
  ]);
  const login = await arx(dir, 'login --client-id x --observer-tier nope');
  expect([login.exit, login.stderr]).toEqual([
    2,
    expect.stringContaining('arx: --observer-tier: must be one of '),
  ]);
});

test('redact selects the state that its table shows', async () => {
  const { exit, stdout } = await arx(dir, 'redact att_1 --dry-run --fields id,state');
  expect([exit, stdout]).toEqual([0, 'id\tatt_1\nstate\tavailable\n']);
});
