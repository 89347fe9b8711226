// `arx read` of every mail of the MIME collection: no crash, no control sequence, every message.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ReadMessage } from '../../src/contract/reports/reading.ts';
import { arx, dataOf, recordsOf } from '../support/command.ts';
import { hasRealData, unpackTar } from '../support/real-data.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** What a terminal would do something else with than show it. The colours are ours. */
const CONTROL = /(?!\n)\p{Cc}|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

if (hasRealData('mime-torture', ['tar', 'xz']))
  describe('the MIME collection', () => {
    const dir = tempFolder('read');

    test('every mail is read: no crash, no control sequence', async () => {
      mkdirSync(join(dir, 'all'));
      for (const name of ['mime4j', 'nodemailer-mailparser', 'stalwart', 'sisimai-bounces'])
        unpackTar(`mime-torture/${name}`, join(dir, 'all'));
      expect((await arx(dir, 'import all')).exit).toBe(0);
      const ids = recordsOf(await arx(dir, 'messages ls --walk -o ndjson')).map(({ id }) => String(id));
      expect(ids.length).toBeGreaterThan(1000);
      for (const terminal of [{}, { columns: 80 }]) {
        const { stdout, stderr, exit } = await arx(
          dir,
          `read ${ids.join(' ')} --no-color -o table`,
          terminal,
        );
        expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
        expect(stdout).not.toMatch(CONTROL);
        expect(stdout.match(/^msg_\d+(?= {2}answers|$)/gm)).toHaveLength(ids.length);
      }
      const rows = dataOf(await arx(dir, `read ${ids.join(' ')} --json`));
      expect(rows.map((row) => ReadMessage.parse(row).id)).toEqual(ids);
    });
  });
