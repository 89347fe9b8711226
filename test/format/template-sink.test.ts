import { expect, test } from 'vitest';
import { parseTemplate, templateSink } from '../../src/format/template-sink.ts';
import { fakeWorld } from '../support/fake-world.ts';

async function rendered(template: string, lines: readonly string[], columns?: number): Promise<string> {
  const world = fakeWorld(columns === undefined ? {} : { columns });
  const sink = templateSink(parseTemplate(template), world.stdout);
  // Pieces end anywhere, also in the middle of a character.
  for (const byte of Buffer.from(lines.map((line) => `${line}\n`).join('')))
    await sink.write(Uint8Array.of(byte));
  return world.stdoutText();
}

test.each([
  ['{{id}} {{n}}', '{"id":"é <b> & \\"q\\"","n":3}', 'é <b> & "q" 3\n'],
  ['{{n}}', '{"n":9007199254740993}', '9007199254740993\n'],
  ['[{{a}}][{{b}}]', '{"a":null}', '[][]\n'],
  ['{{a}}', '{"a":{"b":[1,2]}}', '{"b":[1,2]}\n'],
  ['{{a.b}}', '{"a":{"b":true}}', 'true\n'],
  ['{{#list}}<{{name}}>{{/list}}{{^list}}none{{/list}}', '{"list":[{"name":"x"},{"name":"y"}]}', '<x><y>\n'],
  ['{{#list}}<{{name}}>{{/list}}{{^list}}none{{/list}}', '{"list":[]}', 'none\n'],
  ['{{id}}\\t{{id}}\\\\n', '{"id":"x"}', 'x\tx\\n\n'],
  ['[{{constructor}}][{{toString}}][{{__proto__}}]', '{"id":"x"}', '[][][]\n'],
  ['{{id}}', '{"id":"{{n}}","n":1}', '{{n}}\n'],
  ['[{{a.constructor}}][{{a.toString}}][{{a.b.map}}]', '{"a":{"b":[1]}}', '[][][]\n'],
  ['{{#a}}[{{constructor}}][{{text}}]{{id}}{{/a}}', '{"id":"x","a":9007199254740993}', '[][]x\n'],
  ['{{hasOwnProperty}}{{id}}', '{"id":"x","hasOwnProperty":"y"}', 'yx\n'],
  ['{{#a}}{{b.c}}{{/a}}', '{"a":{"b":{}},"b":{"c":1}}', '1\n'],
])('%s of %s', async (template, line, text) => {
  expect(await rendered(template, [line, line])).toBe(text + text);
});

test('on a terminal, control characters are shown and do nothing', async () => {
  expect(await rendered('{{id}}', ['{"id":"\\u001b[2J"}'], 80)).toBe('\\u{1b}[2J\n');
});

test('names stand with their sections', () => {
  expect(parseTemplate('{{id}}{{#a}}{{b}}{{#c}}{{d}}{{/c}}{{/a}}{{^e}}{{.}}{{/e}}').names).toEqual([
    { name: 'id', sections: [] },
    { name: 'a', sections: [] },
    { name: 'b', sections: ['a'] },
    { name: 'c', sections: ['a'] },
    { name: 'd', sections: ['c', 'a'] },
    { name: 'e', sections: [] },
  ]);
});

test.each([
  ['{{#id}}', 'Unclosed section "id"'],
  ['{{> other}}', 'a template cannot include another one, as {{> other}} does'],
  [`${'{{#a}}'.repeat(5000)}${'{{/a}}'.repeat(5000)}`, 'sections are nested more than 200 levels deep'],
])('a template that cannot be read is a usage fault', (template, text) => {
  expect(() => parseTemplate(template)).toThrow(`--template: ${text}`);
});
