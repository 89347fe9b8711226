// A service may send back the token that it got: no command shows it, and no word of ours is taken for it.
import { afterEach, describe, expect, test } from 'vitest';
import { ServiceReport } from '../../src/contract/reports/service.ts';
import { arx } from '../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

let server: Misbehaving | undefined;
afterEach(() => server?.close());

/** Runs a command at a service that answers each request with this status and body. */
async function at(line: string, token: string, status: number, body: string) {
  server = await misbehave((socket) => socket.write(answer(status, body)));
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: token };
  return arx(tempFolder('echo'), `${line} --retries 0 --base-url ${server.url}`, { env });
}

const LONG = 'tok/Zq8vXw3LmT5rKp7sNd9hGb2cYf4j';
const ECHOES: [what: string, status: number, body: string][] = [
  ['an error', 403, JSON.stringify({ error: { code: LONG, message: `no: ${LONG}`, request_id: LONG } })],
  ['an error with escapes', 418, JSON.stringify({ message: `no: ${LONG}` }).replaceAll('/', String.raw`\/`)],
  ['an error in a success', 200, JSON.stringify({ error: { code: LONG, message: LONG } })],
  ['a field name', 200, JSON.stringify({ [LONG]: [{ [LONG]: 1 }], status: LONG })],
  ['a row without an id', 200, JSON.stringify({ data: [{ [LONG]: LONG }] })],
  ['a page that is no JSON', 200, `<p>${LONG}</p>`],
];

describe.each(ECHOES)('%s', (_, status, body) => {
  test.each(['messages ls', 'content get msg_1', 'conversations show c1', 'doctor', 'doctor --json'])(
    'E14 %s does not show the token',
    async (line) => {
      const { stdout, stderr } = await at(line, LONG, status, body);
      for (let from = 0; from + 8 <= LONG.length; from += 1)
        expect(stdout + stderr).not.toContain(LONG.slice(from, from + 8));
      expect(stdout + stderr).not.toContain('***');
      if (status >= 400 && body.includes(LONG)) expect(stdout + stderr).toContain('[token]');
    },
  );
});

describe('a token that is one of our words', () => {
  test.each(['service', 'refused', 'arx', 'ar', 'messages', 'not_found', 'conversations'])(
    '%s: messages keep our words',
    async (token) => {
      const { exit, stderr } = await at('messages ls', token, 404, '{"error":{"message":"no such thing"}}');
      expect(exit).toBe(6);
      expect(stderr).toContain('the service has no /messages: no such thing');
    },
  );

  test.each(['read', 'installation', 'ok', 'list', 'conversations', 'sampled', 'rows', 'warn', 'doctor'])(
    '%s: the report of the doctor stays as it is',
    async (token) => {
      const body = '{"data":[{"id":"a1"},{"id":"a2"}],"has_more":false}';
      const { stdout } = await at('doctor --json', token, 200, body);
      expect(ServiceReport.safeParse(JSON.parse(stdout)).error).toBeUndefined();
      expect(stdout).not.toContain('[token]');
    },
  );

  test('the URL of a request keeps the words of the interface', async () => {
    const { stderr } = await at('attachments ls --city attachments -v', 'attachments', 404, '{}');
    expect(stderr).toContain('GET /v1/attachments?origin_city=[token]');
  });
});
