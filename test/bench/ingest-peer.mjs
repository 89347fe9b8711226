// The least a Node server can do for durable ingest: a body parsed, one event in each line, what came while the last group was committed in one insert, an answer after it.
// Takes `postgres://…`, or the path of a SQLite file; says its port on stdout.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { DatabaseSync } from '@photostructure/sqlite';

const [, , place] = process.argv;
const keep = place.startsWith('postgres:') ? await inPostgres(place) : inSqlite(place);

const waiting = [];
let running = false;
async function commit() {
  running = true;
  while (waiting.length > 0) {
    const group = waiting.splice(0);
    await keep(group.flatMap(({ events }) => events));
    for (const { events, outgoing } of group) {
      const data = events.map(({ id, type }) => ({ accepted: true, event_id: id, type, status: 'queued' }));
      const text = JSON.stringify(data.length === 1 ? data[0] : { object: 'list', status: 'queued', data });
      outgoing
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(Buffer.byteLength(text)),
        })
        .end(text);
    }
  }
  running = false;
}

const server = createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const lines = Buffer.concat(chunks).toString().split('\n');
    waiting.push({ events: lines.map((line) => JSON.parse(line)), outgoing });
    // What came with the same turn of the loop goes into the same group.
    if (!running) setImmediate(() => running || commit());
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

async function inPostgres(connectionString) {
  const pg = createRequire(import.meta.url)('pg');
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    'CREATE TABLE IF NOT EXISTS peer_events (n BIGSERIAL PRIMARY KEY, id TEXT, type TEXT, payload TEXT)',
  );
  const text =
    'INSERT INTO peer_events (id, type, payload) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])';
  return (events) =>
    client.query({
      name: 'insert',
      text,
      values: [
        events.map(({ id }) => id),
        events.map(({ type }) => type),
        events.map(({ payload }) => JSON.stringify(payload)),
      ],
    });
}

function inSqlite(path) {
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS events (n INTEGER PRIMARY KEY, id TEXT, type TEXT, payload TEXT) STRICT',
  );
  const insert = database.prepare('INSERT INTO events (id, type, payload) VALUES (?, ?, ?)');
  return async (events) => {
    database.exec('BEGIN IMMEDIATE');
    for (const { id, type, payload } of events) insert.run(id, type, JSON.stringify(payload));
    database.exec('COMMIT');
  };
}
