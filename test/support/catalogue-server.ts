// A foreign archive with a list of files: correct answers, except where a test replaces one.
import type { Socket } from 'node:net';
import { answer, misbehave, type Misbehaving } from './misbehaving-server.ts';
import { sha256Of } from './digest.ts';

export type ForeignFile = {
  filename?: string;
  content: string;
  /** Its row, where it is not right. */
  row?: Record<string, unknown>;
  /** Answers for the file itself; `count` requests for it came before. */
  script?: (socket: Socket, count: number, head: string) => void;
};

export type CatalogueOptions = {
  assetUrl?: (url: string) => string;
  rowHeaders?: Record<string, string>;
  /** The first answer of all waits for it. */
  gate?: Promise<unknown>;
  tls?: { key: string; cert: string };
  /** The answer to /api/health. */
  health?: Uint8Array;
  /** The answer to the list in place of all rows; `count` requests for it came before. */
  list?: (rows: readonly Record<string, unknown>[], count: number) => Uint8Array | Promise<Uint8Array>;
};

/** Files are att_1, att_2 … under /files/ of the same origin. */
export async function serveCatalogue(
  files: readonly ForeignFile[],
  {
    assetUrl = (url) => url,
    rowHeaders = {},
    gate,
    tls,
    health,
    list = (rows) =>
      answer(
        200,
        JSON.stringify({ object: 'list', status: 'stable', data: rows, has_more: false }),
        rowHeaders,
      ),
  }: CatalogueOptions = {},
): Promise<Misbehaving> {
  const asked = files.map(() => 0);
  let rows: Record<string, unknown>[] | undefined;
  let lists = 0;
  const server: Misbehaving = await misbehave((socket, { head }) => {
    const path = / (\S+) /.exec(head)?.[1] ?? '';
    rows ??= files.map(({ filename, content, row }, index) => ({
      id: `att_${index + 1}`,
      filename: filename ?? `file-${index + 1}.txt`,
      file_url: `${server.url}/files/${index}`,
      sha256: sha256Of(content),
      content_type: 'text/plain',
      redacted: false,
      decorative_layer: false,
      first_visible: true,
      ...row,
    }));
    const index = Number(/^\/files\/(\d+)$/.exec(path)?.[1] ?? NaN);
    const file = files[index];
    const one = rows.find((row) => path === `/v1/attachments/${String(row['id'])}`);
    const json = (body: unknown) => socket.write(answer(200, JSON.stringify(body), rowHeaders));
    if (file !== undefined) {
      const count = asked[index]!++;
      if (file.script === undefined) socket.write(answer(200, file.content));
      else file.script(socket, count, head);
    } else if (path === '/api/health' && health !== undefined) socket.write(health);
    else if (path === '/api/health') {
      void Promise.resolve(gate).then(() => json({ status: 'ok', asset_url: assetUrl(server.url) }));
    } else if (one !== undefined) json(one);
    else if (path.startsWith('/v1/attachments?') || path === '/v1/attachments') {
      void Promise.resolve(list(rows, lists++)).then((bytes) => socket.write(bytes));
    } else socket.write(answer(404, '{"error":{"code":"not_found","message":"no"}}'));
  }, tls);
  return server;
}
