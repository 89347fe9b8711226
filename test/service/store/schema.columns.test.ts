// The described columns of each table are those that the migrations create.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { ATTACHMENTS } from '../../../src/service/records/attachment.ts';
import { CONVERSATIONS, THREADS } from '../../../src/service/records/conversation.ts';
import { EVENTS } from '../../../src/service/records/event.ts';
import { MESSAGES, ORPHANS, RAWS } from '../../../src/service/records/message.ts';
import type { Column } from '../../../src/service/records/table.ts';
import { ENGINE, freshPlace } from '../../support/engine.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let archive: OpenArchive;
beforeAll(async () => {
  archive = await openArchive({
    ...(await freshPlace(tempFolder('columns'))),
    now: () => 0,
    randomBytes,
    sleep,
  });
});
afterAll(() => archive.close());

const STORED =
  ENGINE === 'sqlite'
    ? `SELECT name, type, "notnull" = 0 AND pk = 0 AS nullable FROM pragma_table_info($1) ORDER BY cid`
    : `SELECT column_name AS name, data_type AS type, CAST(is_nullable = 'YES' AS INTEGER) AS nullable
        FROM information_schema.columns WHERE table_name = $1 AND table_schema = current_schema()
        ORDER BY ordinal_position`;

const TYPES =
  ENGINE === 'sqlite'
    ? { BIGINT: 'INTEGER', TEXT: 'TEXT', BLOB: 'BLOB' }
    : { BIGINT: 'bigint', TEXT: 'text', BLOB: 'bytea' };

test.each([MESSAGES, ATTACHMENTS, CONVERSATIONS, EVENTS, RAWS, THREADS, ORPHANS])(
  '$name',
  async ({ name, columns }) => {
    const stored = await archive.database.all(STORED, [name]);
    const described = Object.entries<Column>(columns).map(([column, { type }]) => ({
      name: column,
      type: TYPES[type.sql],
      nullable: Number(type.nullable),
    }));
    expect(described).toEqual(stored.map((row) => ({ ...row, nullable: Number(row['nullable']) })));
  },
);
