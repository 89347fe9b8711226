// `arx events types` names the fields of each payload with their types, as the help does.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

test('the fields of each payload have their types, in all forms and in arx help events', async () => {
  const dir = tempFolder('event-types');
  const { data } = JSON.parse((await arx(dir, 'events types --json')).stdout) as {
    data: { type: string; payload: string[]; fields: object[] }[];
  };
  expect(data[1]).toMatchObject({
    type: 'attachment.reclassified',
    payload: ['id', 'source?', 'decorative_layer?'],
    fields: [
      { name: 'id', type: 'text', required: true },
      { name: 'source', type: 'text', required: false },
      { name: 'decorative_layer', type: 'true or false', required: false },
    ],
  });
  const rows = (await arx(dir, 'events types')).stdout.trimEnd().split('\n');
  const help = readFileSync('src/help/topics/events.md', 'utf8');
  for (const row of rows) {
    const [type, payload] = row.split('\t');
    expect(help).toContain(`- \`${type}\`: ${payload}\n`);
  }
  expect(rows[2]).toMatch(/^contact.flagged\tcontact \(text\), trust \(text, optional\), handler_trace/);
});
