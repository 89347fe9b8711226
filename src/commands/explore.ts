// `arx explore [ID]`: the archive on the whole terminal. Its code is loaded only here.
import * as z from 'zod';
import type { App } from '../app.ts';
import { nounInId } from '../client/record-hint.ts';
import type { Chunk, ExplorerArchive, PlaceReader } from '../explore/archive.ts';
import type { Place } from '../explore/place.ts';
import { Fault } from '../faults.ts';
import { colorPaint, NO_PAINT } from '../format/terminal/styled-line.ts';
import type { Terminal } from '../world.ts';
import { explorerArchive } from './explore/archive.ts';
import { recordKind } from './lists/record-kind.ts';

export const Input = z.object({ id: z.string().min(1).optional(), mouse: z.boolean().default(false) });
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const { world, screen } = app;
  if (app.settings.output.origin === 'flag')
    throw new Fault('usage', 'the explorer prints nothing, so it does not go with an output form');
  if (app.isRecorded)
    throw new Fault(
      'usage',
      'each command of the explorer is a run of its own, so --record does not go with it',
    );
  if (!world.stdin.isTTY || !world.stdout.isTTY || !screen.animation)
    throw new Fault('usage', 'the explorer needs a terminal for its input and output', {
      hint: ({ arx }) => `without one: ${arx} conversations ls, ${arx} attachments ls, ${arx} read ID`,
    });
  const place = input.id === undefined ? undefined : await placeOfId(input.id, app);
  const globalWords = [...world.argv];
  for (const own of ['explore', '--mouse', ...(input.id === undefined ? [] : [input.id])]) {
    const at = globalWords.indexOf(own);
    if (at >= 0) globalWords.splice(at, 1);
  }
  // The session asks for nothing and opens no archive once the terminal is taken.
  await app.client();
  await (await app.session()).bearer();
  const archive = explorerArchive(app, globalWords);
  const opened = place === undefined ? undefined : await open(place, archive, app);
  const { explore, ENTER_SCREEN, LEAVE_SCREEN } = await import('../explore/explorer.ts');
  const paint = screen.color ? await colorPaint() : NO_PAINT;
  let resume = (): void => {};
  await app.pause(new Promise((resolve) => (resume = resolve)));
  let terminal: Terminal | undefined;
  try {
    terminal = world.openTerminal({ enter: ENTER_SCREEN, leave: LEAVE_SCREEN });
    await explore({
      terminal,
      archive,
      places: [{ kind: 'overview' }, ...(place === undefined ? [] : [place])],
      opened,
      paint,
      unicode: screen.unicode,
      timeZone: app.instants.timeZone,
      hasMouse: input.mouse,
      world,
    });
  } finally {
    terminal?.close();
    resume();
  }
}

/** Reads the first part of a place, so that an id that no record has is refused before the terminal is taken. */
async function open(
  place: Place & { id: string },
  archive: ExplorerArchive,
  { world }: App,
): Promise<{ reader: PlaceReader; chunk: Chunk }> {
  const reader = archive.openReader(place);
  try {
    return { reader, chunk: await reader.read(undefined, world.signal, () => {}) };
  } catch (error) {
    const isUnknown =
      error instanceof Fault && error.kind === 'not_found' && nounInId(place.id) === undefined;
    if (!isUnknown) throw error;
    throw new Fault('not_found', `no message, conversation or attachment ${place.id} in this archive`, {
      hint: 'arx explore without an id begins at the overview; s searches there',
    });
  }
}

async function placeOfId(id: string, app: App): Promise<Place & { id: string }> {
  const kind = await recordKind(id, app);
  return kind === 'conversation'
    ? { kind: 'thread', id }
    : { kind: kind === 'attachment' ? 'file' : 'message', id };
}
