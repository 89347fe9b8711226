// Runs the explorer: keys and answers become events, effects become requests and commands, each state becomes a frame.
import type { ProgressRecord } from '../contract/reports/command.ts';
import { hintText, type FaultDetail } from '../faults.ts';
import type { Paint } from '../format/terminal/styled-line.ts';
import type { Terminal, World } from '../world.ts';
import type { Chunk, ExplorerArchive, OnProgress, PlaceReader } from './archive.ts';
import { frameText, MOUSE_OFF, MOUSE_ON, painted, type Frame } from './frame.ts';
import { createKeyParser } from './key-parser.ts';
import { withNotice } from './notices.ts';
import type { Place } from './place.ts';
import { begin, update } from './update.ts';
import type { Effect, Event, State, Step } from './state.ts';
import { draw } from './views/draw.ts';

export { ENTER_SCREEN, LEAVE_SCREEN } from './frame.ts';

/** What the explorer works with. */
export type ExplorerOptions = {
  terminal: Terminal;
  archive: ExplorerArchive;
  /** What is shown first; the last one is on the screen, the others are behind it. */
  places: readonly Place[];
  /** What the last place shows already, and what reads on. */
  opened?: { reader: PlaceReader; chunk: Chunk } | undefined;
  paint: Paint;
  unicode: boolean;
  timeZone: string | undefined;
  hasMouse: boolean;
  world: Pick<World, 'sleep' | 'signal'>;
};

/** A terminal sends the rest of a sequence within this time; after it, Escape is a key of its own. */
const ESCAPE_DELAY_MS = 30;
/** The longest command that terminals accept for the clipboard. */
const MAX_CLIPBOARD_LENGTH = 4096;

/** Shows the archive until its user quits. Rejects with the reason of the signal, and where the terminal is gone. */
export async function explore(options: ExplorerOptions): Promise<void> {
  const { terminal, archive, paint, world } = options;
  const { timeZone, unicode, places, opened } = options;
  const readers = new Map<number, { reader: PlaceReader; request: AbortController | undefined }>();
  const jobs = new AbortController();
  const keys = createKeyParser();
  const first = beginning();
  let state: State = first.state;
  let hasMouse = options.hasMouse;
  let shown: Frame | undefined;
  let isWriting = false;
  let isStale = false;
  let typedBytes = 0;
  const end = ending();

  function beginning(): Step {
    const { folder, home } = archive;
    const begun = begin({ ...terminal.size(), places, timeZone, unicode, folder, home });
    if (opened === undefined) return begun;
    const screen = places.length - 1;
    readers.set(screen, { reader: opened.reader, request: undefined });
    return update(begun.state, { kind: 'chunk', screen, chunk: opened.chunk });
  }

  function dispatch(event: Event): void {
    const step = update(state, event);
    state = step.state;
    for (const effect of step.effects) perform(effect);
    show();
  }

  /** Sends a frame. While the terminal takes one, later states wait, and only the last of them is drawn. */
  function show(): void {
    isStale = true;
    if (isWriting) return;
    isStale = false;
    const drawing = draw(state, archive.name);
    const next = painted(drawing, state.columns, paint);
    const text = frameText(next, shown, drawing);
    shown = next;
    isWriting = true;
    terminal.write(text).then(() => {
      isWriting = false;
      if (isStale) show();
    }, end.reject);
  }

  function perform(effect: Effect): void {
    switch (effect.kind) {
      case 'read':
        return read(effect.screen, effect.place, effect.from);
      case 'cancel':
        readers.get(effect.screen)?.request?.abort();
        if (effect.isForGood) readers.delete(effect.screen);
        return;
      case 'run':
        archive.run(effect.words, effect.hasReport, jobs.signal, onJobProgress(effect.job)).then(
          (ended) => dispatch({ kind: 'ended', job: effect.job, ...ended }),
          (error: unknown) =>
            dispatch({ kind: 'ended', job: effect.job, exit: 1, output: textOfError(error) }),
        );
        return;
      case 'copy': {
        const line = archive.commandLine(effect.words);
        const isShort = line.length <= MAX_CLIPBOARD_LENGTH;
        const where = isShort ? 'sent to the clipboard, if the terminal has one' : 'too long for a clipboard';
        const { filter } = effect;
        // It comes first: the line may be cut.
        const lost = filter === undefined ? '' : `without the filter "${filter}": `;
        const style = isShort && filter === undefined ? 'good' : 'warn';
        state = withNotice(state, { text: `${lost}${line}  (${where})`, style });
        const encoded = Buffer.from(line).toString('base64');
        if (isShort) terminal.write(`\u001b]52;c;${encoded}\u0007`).catch(end.reject);
        return;
      }
      case 'mouse':
        hasMouse = !hasMouse;
        state = withNotice(state, { text: `mouse ${hasMouse ? 'on' : 'off'}`, style: 'dim' });
        terminal.write(hasMouse ? MOUSE_ON : MOUSE_OFF).catch(end.reject);
        return;
      case 'redraw':
        shown = undefined;
        return;
      case 'suspend':
        return terminal.suspend();
      case 'quit':
        return end.resolve();
    }
  }

  function onJobProgress(job: number): (progress: ProgressRecord) => void {
    return (progress) => dispatch({ kind: 'jobProgress', job, progress });
  }

  function read(screen: number, place: Place, from: string | undefined): void {
    const open = readers.get(screen) ?? { reader: archive.openReader(place), request: undefined };
    const request = new AbortController();
    readers.set(screen, { ...open, request });
    const onProgress: OnProgress = (text, entries) => {
      if (!request.signal.aborted) dispatch({ kind: 'progress', screen, text, entries });
    };
    open.reader.read(from, request.signal, onProgress).then(
      (chunk) => {
        if (!request.signal.aborted) dispatch({ kind: 'chunk', screen, chunk });
      },
      (error: unknown) => {
        if (request.signal.aborted) return;
        dispatch({ kind: 'failed', screen, text: textOfError(error), class: kindOfError(error) });
      },
    );
  }

  async function escapeAlone(): Promise<void> {
    const count = typedBytes;
    await world.sleep(ESCAPE_DELAY_MS, world.signal);
    if (count === typedBytes) for (const key of keys.flush()) dispatch({ kind: 'key', key });
  }

  const stop = (): void => end.reject(world.signal.reason);
  world.signal.addEventListener('abort', stop, { once: true });
  try {
    world.signal.throwIfAborted();
    terminal.listen({
      input(bytes) {
        typedBytes += bytes.length;
        for (const key of keys.feed(bytes)) dispatch({ kind: 'key', key });
        if (keys.isWaiting()) escapeAlone().catch(end.reject);
      },
      resize() {
        shown = undefined;
        dispatch({ kind: 'resize', ...terminal.size() });
      },
      end: () => end.resolve(),
    });
    if (hasMouse) await terminal.write(MOUSE_ON);
    for (const effect of first.effects) perform(effect);
    show();
    await end.promise;
  } finally {
    world.signal.removeEventListener('abort', stop);
    for (const { request } of readers.values()) request?.abort();
    jobs.abort();
  }
}

/** A promise that is settled from outside, as Promise.withResolvers of later versions of Node makes it. */
function ending(): { promise: Promise<void>; resolve(): void; reject(reason: unknown): void } {
  let settle: { resolve: () => void; reject: (reason: unknown) => void } | undefined;
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, resolve: () => settle?.resolve(), reject: (reason) => settle?.reject(reason) };
}

/** Faults of the main bundle are of another class than those of this one, so they are known by their fields. */
function kindOfError(error: unknown): string | undefined {
  return error instanceof Error ? (error as { kind?: string }).kind : undefined;
}

function textOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'unexpected error';
  const { detail } = error as { detail?: FaultDetail };
  const kind = kindOfError(error);
  const hint = detail?.hint === undefined ? '' : `; ${hintText(detail.hint)}`;
  return `${error.message}${kind === undefined ? '' : ` [${kind}]`}${hint}`;
}
