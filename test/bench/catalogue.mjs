// `node catalogue.mjs DIR PORT`: an honest list of the rows of DIR/<city>.json, by cursors and limit.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [dir, port] = process.argv.slice(2);
const lists = new Map();

/** Rows of a city, and where each stands among them. */
function listOf(city) {
  if (!lists.has(city)) {
    const rows = JSON.parse(readFileSync(join(dir, `${city}.json`), 'utf8'));
    lists.set(city, { rows, places: new Map(rows.map(({ id }, at) => [id, at])) });
  }
  return lists.get(city);
}

createServer((request, response) => {
  const query = new URL(request.url, 'http://localhost').searchParams;
  const { rows, places } = listOf(query.get('origin_city'));
  const [after, before] = ['starting_after', 'ending_before'].map((name) => places.get(query.get(name)));
  const [from, to] = [after === undefined ? 0 : after + 1, before ?? rows.length];
  const limit = Number(query.get('limit') ?? 20);
  // Without a cursor to start from, a page ends at the one it has.
  const isBackward = after === undefined && before !== undefined;
  const data = isBackward
    ? rows.slice(Math.max(from, to - limit), to)
    : rows.slice(from, Math.min(to, from + limit));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', status: 'stable', data, has_more: data.length < to - from }));
}).listen(Number(port), '127.0.0.1');
