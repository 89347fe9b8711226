// `arx attachments show ID --preview`: draws the verified file of a picture on the terminal.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileNameOf, fileStateWords, isPullable } from '../../contract/attachment-file.ts';
import { sha256Of } from '../../download/hash-of-row.ts';
import { streamFile } from '../../download/held-stream.ts';
import { Fault, type Hint } from '../../faults.ts';
import { formatBytes } from '../../format/numbers.ts';
import { cellLines } from '../../format/picture/cell-picture.ts';
import type { Pixels } from '../../format/picture/pixels.ts';
import {
  CELL_PIXELS,
  fitIntoCells,
  iterm2File,
  kittyPixels,
  kittyPng,
} from '../../format/picture/escape-sequences.ts';
import type { Line } from '../../format/terminal/styled-line.ts';
import { decodeWithLimits } from '../../format/picture/limited-decoder.ts';
import { readPictureHeader, type PictureHeader } from '../../format/picture/picture-header.ts';
import { cellColors, pictureProtocol } from '../../format/picture/picture-protocol.ts';
import { idArgument } from '../../shell-words.ts';

const MAX_PICTURE_BYTES = 64 * 1024 * 1024;
/** A terminal is sent no file of more pixels. */
const MAX_SENT_PIXELS = 40_000_000;
/** Pixels of a cell on a screen with small pixels, for pictures that are decoded here. */
const MAX_CELL_PIXELS = { width: 10, height: 20 };
const DEFAULT_ROWS = 24;
/** Lines that stay for the end of the record and the prompt. */
const OTHER_ROWS = 2;

/** Throws Fault 'usage' where there is no terminal to draw on. */
export function checkPreview(id: string, app: App): void {
  const { stdout, env } = app.world;
  const hint: Hint = ({ arx }) =>
    `${arx} attachments show --open ${idArgument(id)} shows it in a window; ${arx} attachments cat ${idArgument(id)} > FILE writes it`;
  if (!stdout.isTTY || env['TERM'] === 'dumb')
    throw new Fault('usage', '--preview draws on a terminal, and there is none', { hint });
  if (app.printer.output !== 'table')
    throw new Fault('usage', `--preview does not go with the output form ${app.printer.output}`, { hint });
}

/** Returns the line above a picture: what it is a picture of. */
export function previewHeading(row: Attachment): Line {
  const { id, content_type, bytes, origin_city } = row;
  const size = bytes === undefined ? undefined : formatBytes(bytes);
  const facts = [fileNameOf(row), content_type, size, origin_city].filter((fact) => fact != null);
  return [{ text: id, style: 'id' }, `  ${facts.join('  ')}`];
}

/** Draws the file of a row. Throws Fault 'partial' where it has none or is no picture that can be drawn, and the Faults of a download. */
export async function drawPreview(row: Attachment, app: App): Promise<void> {
  const file = await verifiedFile(row, app);
  const header = readPictureHeader(file);
  if (header === undefined)
    throw new Fault('partial', `${row.id} is no PNG, JPEG or GIF picture, so there is no preview`, {
      hint: ({ arx }) => `${arx} attachments show --open ${idArgument(row.id)}`,
    });
  for await (const text of drawing(file, header, row.id, app)) await app.printer.bytes(Buffer.from(text));
}

async function* drawing(
  file: Uint8Array,
  header: PictureHeader,
  id: string,
  app: App,
): AsyncGenerator<string> {
  const { env, stdout } = app.world;
  const screen = {
    columns: app.screen.columns ?? 80,
    rows: Math.max(1, (stdout.rows ?? DEFAULT_ROWS) - OTHER_ROWS),
  };
  const protocol = pictureProtocol(env);
  const decoded = async (maxWidth: number, maxHeight: number): Promise<Pixels> => {
    const result = await decodeWithLimits({ file, maxWidth, maxHeight }, app.world);
    if ('pixels' in result) return result.pixels;
    throw noPreview(id, result.failure);
  };
  if (protocol === 'cells') {
    const pixels = await decoded(screen.columns, screen.rows * 2);
    yield* cellLines(pixels, { colors: cellColors(env, app.screen), unicode: app.screen.unicode });
    return;
  }
  const { width, height } = CELL_PIXELS;
  if (protocol === 'sixel') {
    const { sixelPicture } = await import('../../format/picture/sixel.ts');
    yield sixelPicture(await decoded(screen.columns * width, screen.rows * height));
    return;
  }
  if (header.width * header.height > MAX_SENT_PIXELS) throw noPreview(id, 'it has more than 40 megapixels');
  if (protocol === 'iterm2') yield iterm2File(file, fitIntoCells(header, screen));
  else if (header.format === 'png') yield* kittyPng(file, fitIntoCells(header, screen));
  else {
    const pixels = await decoded(
      screen.columns * MAX_CELL_PIXELS.width,
      screen.rows * MAX_CELL_PIXELS.height,
    );
    yield* kittyPixels(pixels, fitIntoCells(pixels, screen));
  }
}

function noPreview(id: string, failure: string): Fault {
  return new Fault('partial', `${id}: there is no preview of the picture: ${failure}`, {
    hint: ({ arx }) => `${arx} attachments cat ${idArgument(id)} > FILE writes the verified file`,
  });
}

async function verifiedFile(row: Attachment, app: App): Promise<Uint8Array> {
  const { id, bytes } = row;
  if (!isPullable(row))
    throw new Fault('partial', `${id} is ${fileStateWords(row)}: there is nothing to draw`);
  const tooLarge = noPreview(id, `it is larger than ${formatBytes(MAX_PICTURE_BYTES)}`);
  if ((bytes ?? 0) > MAX_PICTURE_BYTES) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let length = 0;
  await streamFile(
    { name: id, url: row.file_url, sha256: sha256Of(row, `${id}: `), bytes },
    {
      ...(await app.fileAccess()),
      world: app.world,
      retries: app.settings.retries.value,
      log: app.log,
      write: async (chunk) => {
        length += chunk.length;
        if (length > MAX_PICTURE_BYTES) throw tooLarge;
        chunks.push(chunk);
      },
    },
  );
  return Buffer.concat(chunks);
}
