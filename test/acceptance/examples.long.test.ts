// Every example in the help runs in a real shell, in the order of the help, from a folder that has only what it names.
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { serveList } from '../support/cursor-server.ts';
import { isInstalled } from '../support/installed.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { freshDatabase } from '../support/archives-database.ts';
import { buildProgram, startProcess } from '../support/program.ts';
import { sampleData, sampleIn } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';
import { atTerminal } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { zipOf } from '../support/zip.ts';

/** What has to be there before the examples of a command, as lines for the shell. */
const BEFORE: Record<string, readonly string[]> = {
  'attachments verify': [
    'arx attachments pull --city lisbon --to lisbon',
    'arx attachments export lisbon --format bagit --to lisbon.zip',
  ],
  'attachments export': [
    'arx attachments pull --city lisbon --to lisbon',
    'arx conversations walk --freeze walk1',
  ],
  'conversations verify': ['arx conversations walk --freeze walk1'],
  'conversations diff': ['arx conversations walk --freeze walk1', 'arx conversations walk --freeze walk2'],
  'conversations plot': ['arx conversations walk --freeze walk1'],
  doctor: ['arx login --base-url https://archive.example --client-id me --observer-tier internal --use'],
  explore: ['arx login --base-url https://archive.example --client-id me --observer-tier internal'],
  'tokens revoke': ['arx login --client-id laptop --observer-tier internal'],
  'events reconcile': [
    `arx events send message.reordered --id evt_1 --payload '{"id":"msg_2","entry":"entry_2","sequence":7}'`,
  ],
  'archive copy': ['arx backup --to /mnt/backup/archive'],
  'archive drop': ['arx archive create postgres://arx@db.example/archives lists-2024'],
  'archive move': ['arx archive create postgres://arx@db.example/archives lists-2024'],
  'profile rm': ['arx config set --profile work base_url https://archive.example'],
  'profile use': ['arx config set --profile work base_url https://archive.example'],
  report: ['arx attachments pull --city lisbon --to lisbon'],
  walk: ['echo arx_some.token > key'],
  import: [
    'mkdir -p ~/Mail/inbox/cur ~/Mail/inbox/new',
    'cp list.mbox ~/Mail/inbox/cur/1',
    'gzip -k list.mbox',
  ],
};

/** What the examples name that no machine of ours has. */
type Places = {
  archive: string;
  list: string;
  postgres: string | undefined;
  /** An address without an archive. */
  empty: string | undefined;
  /** Databases of its own. */
  database: string | undefined;
  other: string | undefined;
  backup: string;
};

const arx = buildProgram();
const NEEDS_TOOLS = ['bash', 'jq', 'curl'].filter((tool) => !isInstalled(tool));

describe.skipIf(NEEDS_TOOLS.length > 0)('the examples of the help', () => {
  let served: Served;
  let list: Awaited<ReturnType<typeof serveList>>;
  const bin = tempFolder('examples-bin');
  const serviceDir = tempFolder('examples-service');
  beforeAll(async () => {
    await sampleData(join(serviceDir, 'data'));
    served = await serve(serviceDir);
    const rows = Array.from({ length: 30 }, (_, at) => ({ id: `row_${at}` }));
    list = await serveList({ rows });
    // A desktop that opens nothing, and no browser or editor of this machine.
    for (const [name, script] of Object.entries({
      arx: `exec '${process.execPath}' '${arx.launcher}' "$@"`,
      'xdg-open': 'exit 0',
    })) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
  });
  afterAll(async () => {
    await served?.close();
    await list?.close();
  });

  test.each(COMMAND_LIST.map(({ words, examples }) => [words, examples] as const))(
    'arx %s',
    async (words, examples) => {
      const dir = tempFolder('examples');
      await sampleData(join(dir, 'data'));
      // The secret by which the service knows its owner.
      cpSync(join(serviceDir, 'config'), join(dir, 'config'), { recursive: true });
      writeFileSync(join(dir, 'list.mbox'), 'From a@example Mon Jan  1 00:00:00 2024\nSubject: a\n\nb\n');
      writeFileSync(join(dir, 'slack-export.zip'), slackExport());
      mkdirSync(join(dir, 'mnt'));
      const usesPostgres = examples.some((line) => line.includes('postgres://'));
      const postgres = usesPostgres && !noPostgres ? await freshUrl() : undefined;
      if (postgres !== undefined) await sampleIn({ url: postgres });
      const empty = postgres === undefined ? undefined : await freshUrl();
      const database = postgres === undefined ? undefined : await freshDatabase();
      const other = postgres === undefined ? undefined : await freshDatabase();
      const backup = join(dir, 'mnt');
      const places = { archive: served.base_url, list: list.url, postgres, empty, database, other, backup };
      const env = {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        ARX_DATA_DIR: join(dir, 'data'),
        DISPLAY: ':99',
      };
      const shell = (line: string) =>
        startProcess('bash', ['-o', 'pipefail', '-c', `exec 2>&1; ${located(line, places)}`], { dir, env });
      for (const line of BEFORE[words] ?? [])
        if (!line.includes('postgres://') || postgres !== undefined)
          expect(await shell(line).ended, line).toMatchObject({ exit: 0 });
      for (const line of examples) {
        if (line.includes('postgres://') && postgres === undefined) continue;
        const running =
          words === 'explore'
            ? atTerminal(located(line, places), { dir, env })
            : shell(words === 'serve' ? `exec ${line.replace(/ --port 0\b/, '')} --port 0` : line);
        if (words === 'explore') {
          await running.says('stdout', /\?1049h/);
          running.child.stdin!.write('\x03');
        }
        if (words === 'serve') {
          await running.says('stdout', /127\.0\.0\.1:\d+/);
          running.child.kill('SIGTERM');
        }
        const ended = await running.ended;
        expect({ line, ...ended }).toMatchObject({ line, exit: 0 });
      }
    },
  );
});

/** Returns an example with the places of this run. */
function located(line: string, { archive, list, postgres, empty, database, other, backup }: Places): string {
  return line
    .replaceAll('postgres://arx@db.example/archives', `'${database ?? ''}'`)
    .replaceAll('postgres://arx@new.example/archives', `'${other ?? ''}'`)
    .replaceAll(/postgres:[^ ]*@new\.example[^ ]*/g, `'${empty ?? ''}'`)
    .replaceAll(/"?postgres:\/\/arx@db[^" ]*"?/g, `'${postgres ?? ''}'`)
    .replaceAll(/https:\/\/api\.example[^" ]*/g, list)
    .replaceAll('https://archive.example', archive)
    .replaceAll('http://127.0.0.1:4747', archive)
    .replaceAll('/mnt/backup', backup)
    .replaceAll('/mnt/files', join(backup, 'files'))
    .replaceAll(/--metrics-port \d+/g, '--metrics-port 0');
}

function slackExport(): Buffer {
  return zipOf({
    'users.json': '[{"id":"U1","name":"ann"}]',
    'channels.json': '[{"id":"CH1","name":"general"}]',
    'general/2024-01-01.json': '[{"type":"message","user":"U1","ts":"1704067200.000100","text":"hello"}]',
  });
}
