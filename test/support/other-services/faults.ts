// What goes wrong at other services: pages with wrong rows, and requests that fail in transport.
import type { ServerResponse } from 'node:http';
import { randomFrom, type Random } from '../random.ts';

/** Returns a page with one fault: a row is left out, two are swapped, the page begins elsewhere, or it is old. */
export function wrongPage<Row>(page: readonly Row[], list: readonly Row[], random: Random): Row[] {
  if (page.length === 0) return list.slice(0, 2);
  const rows = [...page];
  const at = Math.floor(random() * rows.length);
  const start = list.indexOf(page[0]!);
  const kinds: (() => Row[])[] = [
    () => rows.toSpliced(at, 1),
    () => rows.toSpliced(at, 2, ...rows.slice(at, at + 2).toReversed()),
    () => list.slice(start + 3, start + 3 + rows.length),
    () => rows.slice(0, Math.ceil(rows.length / 2)),
    () => rows.toSpliced(at, 0, list[Math.floor(random() * list.length)]!),
    () => rows.toSpliced(at, 0, rows[at]!),
  ];
  return kinds[Math.floor(random() * kinds.length)]!();
}

/** How a request fails in transport. */
type RoughAnswer = (response: ServerResponse, body: string) => void;

const ROUGH: readonly RoughAnswer[] = [
  // A whole HTTP response whose JSON stops in the middle.
  (response, body) => {
    const cut = body.slice(0, Math.floor(body.length / 2));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(cut) });
    response.end(cut);
  },
  // A body that ends before its content-length.
  (response, body) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body) + 9,
    });
    response.write(body.slice(0, Math.floor(body.length / 3)), () => response.socket?.destroy());
  },
  (response) => {
    response.writeHead(429, { 'retry-after': '1', 'content-type': 'text/plain' });
    response.end('slow down');
  },
  (response) => {
    response.writeHead(500, { 'content-type': 'text/html' });
    response.end('<h1>Internal Server Error</h1>');
  },
  (response) => void response.socket?.destroy(),
];

/** Returns the random numbers of one request: the same for the same seed and number of earlier requests. */
export const randomOf = (seed: string, request: number): Random => randomFrom(`${seed}/${request}`);

/** Returns how this request fails, or undefined where it does not. */
export function roughAnswer(share: number, random: Random): RoughAnswer | undefined {
  if (random() >= share) return undefined;
  return ROUGH[Math.floor(random() * ROUGH.length)];
}
