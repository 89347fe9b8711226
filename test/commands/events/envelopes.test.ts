// What is wrong with an event that is not sent, and what is odd in one that is: the field, its type, what was given.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { emptyData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const REORDERED = 'message.reordered has id (text), entry (text), sequence (whole number)';
const dir = tempFolder('envelopes');
beforeAll(() => emptyData(join(dir, 'data')));
const send = (type: string, payload: string, options = '') =>
  arx(dir, `events send ${type} --id e1 --payload '${payload}' ${options}`);

describe('an event that does not fit is not sent', () => {
  test.each([
    ['{"id":"m","entry":"e","sequence":1.5}', 'payload.sequence: must be a whole number, not 1.5'],
    ['{"id":"m","entry":"e","sequence":"x"}', 'payload.sequence: must be a number, not "x"'],
    ['{"id":"m","entry":"e","sequence":-1}', 'payload.sequence: must be at least 0'],
    ['{"id":"m","entri":"e"}', 'payload.entry: is missing, must be text'],
    ['{"id":null}', 'payload.id: must be text, not null'],
    [`{"id":"${'x'.repeat(201)}"}`, 'payload.id: must have at most 200 characters'],
    ['{"id":{"a":"b\\u001b[2J"}}', 'payload.id: must be text, not {"a":"b\\u001b[2J"}'],
  ])('%s', async (payload, problem) => {
    const ran = await send('message.reordered', payload);
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toBe(
      `arx: event: ${problem}; nothing was sent [usage, exit 2]\n  hint: ${REORDERED}\n`,
    );
  });

  test.each([
    ['[1]', 'payload: must be an object, not [1]'],
    ['{layer:1}', '--payload is not JSON at character 2, where a name in double quotes or } is expected'],
    ['{"a":1,}', 'character 8, where a name in double quotes is expected; nothing was sent'],
    ['{"a":1,}', 'hint: leave out the comma before it'],
    ['["a", ]', 'character 7, where a value is expected'],
    ['{"a":tru}', 'character 6, where a value is expected'],
    ['{"a" 1}', 'character 6, where a colon is expected'],
    ['{"a":[1 2]}', 'character 9, where a comma or a closing bracket is expected'],
    ['{"a":1]', 'character 7, where a comma or a closing bracket is expected'],
    ['{"a":[]}}', 'character 9, where the end is expected'],
    ['{"a":[{', 'character 8, where a name in double quotes or } is expected'],
    ['{"a":[{', 'hint: the text ends there'],
    ['{"a":"b}', 'hint: the quotation mark there is never closed'],
    ['{"a":"\\q"}', 'hint: in a text, a line break is written'],
    ['', 'character 1, where a value is expected'],
  ])('%s', async (payload, problem) => {
    expect((await send('mirror.detected', payload)).stderr).toContain(problem);
  });

  test('an unknown type: the nearest one is proposed', async () => {
    expect((await send('mirror.detectd', '{}')).stderr).toContain(
      'hint: did you mean: mirror.detected; --allow',
    );
    expect((await send('sesame', '{}')).stderr).toContain('hint: known: message.reordered, ');
  });
});

describe('a field that the type does not have is sent with a warning', () => {
  test('of one event, also with --quiet', async () => {
    const ran = await send('mirror.detected', '{"layer":"a","layr":"b","x\\u001b":1}', '-q');
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toBe(
      'arx: warning: event: mirror.detected has no field layr; it is sent as it is; did you mean layer?\n' +
        'arx: warning: event: mirror.detected has no field x\u{fffd}; it is sent as it is\n',
    );
  });

  test('of a file, each once; many are not named', async () => {
    const event = (n: number, fields: object) =>
      JSON.stringify({ id: `f${n}`, type: 'mirror.detected', payload: { layer: `${n}`, ...fields } });
    const lines = [
      {},
      { layr: 1 },
      { layr: 2 },
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, n])),
    ];
    writeFileSync(join(dir, 'in.ndjson'), lines.map((fields, n) => `${event(n, fields)}\n`).join(''));
    const ran = await arx(dir, 'events send --file in.ndjson');
    expect(ran.exit).toBe(0);
    const warnings = ran.stderr.split('\n').filter((line) => line !== '');
    expect(warnings).toHaveLength(11);
    expect(warnings[0]).toBe(
      'arx: warning: line 2: mirror.detected has no field layr; it is sent as it is (2 events have it); did you mean layer?',
    );
    expect(warnings[10]).toBe(
      'arx: warning: other payloads have more fields that their event types do not have',
    );
  });

  test('none for a type that arx does not know', async () => {
    expect((await send('own.type', '{"a":1}', '--allow-unknown-type')).stderr).not.toContain('warning');
  });
});
