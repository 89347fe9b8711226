// `arx attachments show ID --preview`: what a terminal of each kind is sent, and that nothing else than the verified file is.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateSync } from 'node:zlib';
import { Terminal } from '@xterm/headless';
import { decode } from 'sixel';
import { afterEach, describe, expect, test } from 'vitest';
import { arx, type Ran } from '../../support/command.ts';
import {
  gifFile,
  jpegFile,
  pngFile,
  PNG_END,
  pngHeader,
  pngOf,
  pngZeros,
  scene,
} from '../../support/pictures.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let server: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

type Options = {
  env?: Record<string, string>;
  columns?: number;
  row?: object;
  flags?: string;
  rows?: number;
};

/** Shows the only file of a service. */
async function preview(file: Buffer, { env, row, flags = '', ...screen }: Options = {}) {
  let fileRequests = 0;
  let requests = 0;
  server = createServer(({ url = '/' }, response) => {
    requests += 1;
    if (url.startsWith('/files/')) {
      fileRequests += 1;
      response.end(file);
      return;
    }
    const { port } = server!.address() as AddressInfo;
    const found = {
      id: 'att_1',
      filename: 'a.png',
      file_url: `http://127.0.0.1:${port}/files/1`,
      sha256: createHash('sha256').update(file).digest('hex'),
      bytes: file.length,
      redacted: false,
      ...row,
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'ok', data: [found], has_more: false }));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ran = await arx(
    tempFolder('preview'),
    `attachments show att_1 --preview --base-url http://127.0.0.1:${port} ${flags}`,
    {
      columns: 40,
      rows: 30,
      ...screen,
      env: { ARX_TOKEN: 'tok_any', LANG: 'C.UTF-8', TERM: 'xterm-256color', NO_COLOR: '', ...env },
    },
  );
  return { ...ran, requests, fileRequests };
}

/** What follows the record. */
function pictureOf({ stdout }: Ran): string {
  return stdout.slice(stdout.search(/\p{Cc}(?:_G|\]1337|\[(?:38|39;))/u));
}

/** The cells of a screen that shows the text: the colours of each cell, or `-` for the background of the terminal. */
async function cellsOf(
  text: string,
  columns: number,
): Promise<{ text: string; front: string; back: string }[][]> {
  const lines = text.split('\n').slice(0, -1);
  const terminal = new Terminal({
    cols: columns,
    rows: lines.length + 1,
    allowProposedApi: true,
    convertEol: true,
  });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const cells = lines.map((_, y) =>
    Array.from({ length: columns }, (_, x) => {
      const cell = terminal.buffer.active.getLine(y)!.getCell(x)!;
      const hex = (value: number): string => value.toString(16).padStart(6, '0');
      return {
        text: cell.getChars(),
        front: cell.isFgRGB() ? hex(cell.getFgColor()) : '-',
        back: cell.isBgRGB() ? hex(cell.getBgColor()) : '-',
      };
    }),
  );
  terminal.dispose();
  return cells;
}

/** The chunks of a kitty stream: keys of the first one, and all of the payload. */
function kittyOf(text: string): { keys: Record<string, string>; payload: Buffer; chunks: string[] } {
  const chunks = [...text.matchAll(/\p{Cc}_G([^;]*);(\P{Cc}*)\p{Cc}\\/gu)];
  const keys = Object.fromEntries(chunks[0]![1]!.split(',').map((pair) => pair.split('=')));
  for (const [index, [, head]] of chunks.entries())
    expect(head).toMatch(index === chunks.length - 1 ? /m=0$/ : /m=1$/);
  return {
    keys,
    payload: Buffer.from(chunks.map(([, , text]) => text).join(''), 'base64'),
    chunks: chunks.map(([, , text]) => text ?? ''),
  };
}

describe('a terminal', () => {
  test('of true colour gets half blocks with the colours of the picture', async () => {
    const picture = scene(20, 10);
    const ran = await preview(pngFile(picture), { env: { COLORTERM: 'truecolor' } });
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    // One line above the picture: the record would push it off the screen.
    expect(ran.stdout.split('\n')[0]).toMatch(/^\S*att_1\S* {2}a\.png {2}\d+ B$/);
    const cells = await cellsOf(pictureOf(ran), 40);
    expect(cells).toHaveLength(5);
    const color = (x: number, y: number): string => {
      const at = (y * 20 + x) * 4;
      return picture.data[at + 3] === 0
        ? '-'
        : Buffer.from(picture.data.subarray(at, at + 3)).toString('hex');
    };
    for (const [y, line] of cells.entries())
      for (const [x, cell] of line.slice(0, 20).entries()) {
        const isTopSeen = cell.text === '▀';
        const isBottomBlock = cell.text === '▄';
        expect(isTopSeen ? cell.front : '-').toBe(color(x, y * 2));
        expect(isBottomBlock ? cell.front : cell.back).toBe(color(x, y * 2 + 1));
      }
  });

  test('is filled no further than its width and its height', async () => {
    const wide = await preview(pngFile(scene(400, 100)), { env: { COLORTERM: 'truecolor' }, columns: 20 });
    expect(await cellsOf(pictureOf(wide), 21)).toHaveLength(3);
    const high = await preview(pngFile(scene(100, 400)), { env: { COLORTERM: 'truecolor' }, rows: 12 });
    expect(await cellsOf(pictureOf(high), 40)).toHaveLength(10);
  });

  test('of 256 colours gets the nearest of them', async () => {
    const { stdout } = await preview(gifFile(4, 2, (x) => x > 1));
    expect(stdout).toContain('\x1b[38;5;16;48;5;16m▀▀\x1b[38;5;231;48;5;231m▀▀\x1b[0m\n');
  });

  test('without Unicode gets blanks, without colour characters by brightness', async () => {
    const file = gifFile(4, 2, (x) => x > 1);
    expect((await preview(file, { env: { LC_ALL: 'C' } })).stdout).toContain(
      '\x1b[39;48;5;16m  \x1b[39;48;5;231m  \x1b[0m\n',
    );
    server?.close();
    expect((await preview(file, { env: { NO_COLOR: '1' } })).stdout).toMatch(/\n {2}@@\n$/);
  });

  test('of kitty gets a PNG as it is, in chunks of 4,096 characters', async () => {
    const noise = scene(300, 200);
    noise.data.forEach((value, at) => (noise.data[at] = at % 4 === 3 ? 255 : (value * 7 + at * at) % 256));
    const file = pngFile(noise);
    const { keys, payload, chunks } = kittyOf(
      pictureOf(await preview(file, { env: { TERM: 'xterm-kitty' } })),
    );
    expect(payload.equals(file)).toBe(true);
    expect(keys).toMatchObject({ a: 'T', f: '100', q: '2', c: '38', r: '13' });
    expect(chunks.length).toBeGreaterThan(2);
    expect(new Set(chunks.slice(0, -1).map(({ length }) => length))).toEqual(new Set([4096]));
  });

  test('of kitty gets the pixels of a JPEG', async () => {
    const ran = await preview(jpegFile(scene(64, 40)), { env: { TERM: 'xterm-kitty' } });
    const { keys, payload } = kittyOf(pictureOf(ran));
    expect(keys).toMatchObject({ f: '32', o: 'z', s: '64', v: '40' });
    const off = inflateSync(payload).map((value, at) =>
      at % 4 === 3 ? 0 : Math.abs(value - scene(64, 40).data[at]!),
    );
    expect(off).toHaveLength(64 * 40 * 4);
    expect(off.reduce((sum, each) => sum + each, 0) / off.length).toBeLessThan(3);
  });

  test('of iTerm2 gets the file as it is', async () => {
    const file = jpegFile(scene(64, 40));
    const { stdout } = await preview(file, { env: { TERM_PROGRAM: 'iTerm.app' } });
    expect(stdout).toContain(
      `\x1b]1337;File=inline=1;size=${file.length};width=8;height=3;preserveAspectRatio=1:${file.toString('base64')}\x07\n`,
    );
  });
});

test('a terminal with sixels gets the whole picture', async () => {
  const { stdout } = await preview(jpegFile(scene(64, 40)), { env: { TERM: 'foot' } });
  const begin = '\x1bP0;1;q';
  const sequence = stdout.slice(stdout.indexOf(begin) + begin.length);
  const { width, height } = decode(sequence.slice(0, sequence.indexOf('\x1b')));
  expect({ width, height }).toEqual({ width: 64, height: 40 });
});

describe('nothing is drawn', () => {
  test.each<[string, Options]>([
    ['in a pipe', { columns: undefined as never }],
    ['on a dumb terminal', { env: { TERM: 'dumb' } }],
    ['as JSON', { flags: '--json' }],
  ])('%s: exit 2 before any request', async (_, options) => {
    const ran = await preview(pngFile(scene(8, 8)), options);
    expect(ran).toMatchObject({ exit: 2, stdout: '', requests: 0 });
    expect(ran.stderr).toContain('--preview');
    expect(ran.stderr).toMatch(/arx --base-url \S+ attachments cat att_1 > FILE/);
  });

  test.each(['xterm-kitty', 'xterm-256color'])('of a file with another hash (%s): exit 12', async (TERM) => {
    const ran = await preview(pngFile(scene(8, 8)), { row: { sha256: 'a'.repeat(64) }, env: { TERM } });
    expect(ran.exit).toBe(12);
    expect(ran.stdout).not.toMatch(/▀|\p{Cc}_G/u);
  });

  test.each<[string, Buffer, string, Options]>([
    ['of a withheld row', Buffer.alloc(1), 'there is nothing to draw', { row: { redacted: true } }],
    ['of another file', Buffer.from('text'), 'att_1 is no PNG, JPEG or GIF picture', {}],
    ['of a picture that cannot be decoded', pngFile(scene(8, 8)).subarray(0, 60), 'it is damaged', {}],
    [
      'of a huge picture, on kitty too',
      pngOf(pngHeader(60_000, 60_000), pngZeros(9), PNG_END),
      'it has more than 40 megapixels',
      { env: { TERM: 'xterm-kitty' } },
    ],
  ])('%s: exit 3 with the reason', async (_, file, reason, options) => {
    const ran = await preview(file, options);
    expect(ran.exit).toBe(3);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(reason);
    expect(ran.stdout).not.toMatch(/▀|\p{Cc}_G/u);
  });

  test('of a file that is larger than 64 MiB', async () => {
    const ran = await preview(Buffer.alloc(1), { row: { bytes: 64 * 1024 * 1024 + 1 } });
    expect(ran).toMatchObject({ exit: 3, fileRequests: 0 });
    expect(ran.stderr).toContain('larger than');
  });
});
