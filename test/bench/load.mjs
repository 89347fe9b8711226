// A process that keeps connections busy: `load.mjs '{"port", "targets", "fresh", "token", "connections", "seconds", "awake"}'`; prints what it got as JSON.
import { connect } from 'node:net';

const { port, targets, fresh, token, connections, seconds, awake } = JSON.parse(process.argv[2]);
const until = performance.now() + seconds * 1000;
const times = [];
let bytes = 0;
let next = 0;
let refused = 0;

function keepAsking() {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let begun = 0;
    let left = -1;
    const ask = () => {
      const target = targets[next % targets.length] + (fresh ? `&fresh=${process.pid}.${next}` : '');
      next += 1;
      begun = performance.now();
      socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`);
    };
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (left < 0) {
        // Servers here send their head in one piece.
        const end = chunk.indexOf('\r\n\r\n');
        const head = chunk.latin1Slice(0, end);
        if (!/^HTTP\/1\.1 20[06]/.test(head)) refused += 1;
        left = Number(/content-length: (\d+)/i.exec(head)[1]) + end + 4;
      }
      left -= chunk.length;
      if (left > 0) return;
      left = -1;
      times.push(performance.now() - begun);
      if (performance.now() < until) return ask();
      socket.end(resolve);
    });
  });
}

// To wake up who sleeps is work of the server, and the slower of two would do it more often.
const stayAwake = () => {
  if (performance.now() < until) setImmediate(stayAwake);
};
if (awake) stayAwake();

const begun = performance.now();
await Promise.all(Array.from({ length: connections }, keepAsking));
const took = (performance.now() - begun) / 1000;
times.sort((a, b) => a - b);
process.stdout.write(
  JSON.stringify({
    requests: times.length,
    rate: times.length / took,
    bytes: bytes / times.length,
    p50: times[Math.floor(times.length * 0.5)],
    p99: times[Math.floor(times.length * 0.99)],
    refused,
  }),
);
