// The least a Node server can do: answers each target with the bytes it was given for it. Reads `{target: text}` as JSON from stdin.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const answers = new Map(Object.entries(JSON.parse(await text(process.stdin))));
const server = createServer((incoming, outgoing) => {
  const body = answers.get(incoming.url.replace(/&fresh=.*/, ''));
  outgoing
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
    })
    .end(body);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
