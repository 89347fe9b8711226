// What the explorer needs of an archive. The command implements it with the functions that other commands use.
import type { Attachment } from '../contract/attachment.ts';
import type { ProgressRecord } from '../contract/reports/command.ts';
import type { ReadMessage } from '../contract/reports/reading.ts';
import type { Displacement } from '../format/plot/bar-chart.ts';
import type { Entry } from './entry.ts';
import type { Place } from './place.ts';

/** A place that is read as a text. */
export type Document =
  | { kind: 'message'; message: ReadMessage }
  | { kind: 'file'; row: Attachment }
  /** `unchecked`: entries without a checked position, which the plot cannot show. */
  | { kind: 'plot'; name: string; rows: readonly Displacement[]; unchecked: number };

/** A part of a place. */
export type Chunk = {
  /** Rows that follow those of earlier chunks. Of a group it has the files that this chunk adds. */
  entries?: readonly Entry[];
  /** The entries stand in the place of those of earlier chunks and of {@link OnProgress}. */
  replaces?: boolean;
  document?: Document;
  /** A title that says more than that of the place. */
  title?: string;
  /** From where reading goes on; absent at the end. */
  next?: string;
  /** How many rows the service says that there are. */
  total?: number | undefined;
  /** Why rows may be missing or wrong, a line each. */
  doubts?: readonly string[];
};

/**
 * Is told how much is read, and of the rows that are there so far. The next chunk has all of them again, in the place of these.
 */
export type OnProgress = (text: string, entries?: readonly Entry[]) => void;

/** Reads one place. */
export type PlaceReader = {
  /**
   * Returns the first chunk, or the one at `from`. `onProgress` is told how much is read. Rejects with a Fault; when `signal` is
   * aborted nobody waits for it.
   */
  read(from: string | undefined, signal: AbortSignal, onProgress: OnProgress): Promise<Chunk>;
};

/** How a command ended, what it printed for people, and the ids of the files that it kept because their hash matches. */
export type Ended = { exit: number; output: string; kept?: readonly string[] };

/** The archive in use. */
export type ExplorerArchive = {
  /** The address or the folder. */
  name: string;
  openReader(place: Place): PlaceReader;
  /** The folder that commands run in. */
  folder: string;
  /** The home folder of the user, '' where it is unknown. */
  home: string;
  /**
   * Runs a command in the background. `words` stand after `arx`. `hasReport`: what it prints on stdout is for people too.
   * `onProgress` is told about once a second how far it is.
   */
  run(
    words: readonly string[],
    hasReport: boolean,
    signal: AbortSignal,
    onProgress: (progress: ProgressRecord) => void,
  ): Promise<Ended>;
  /** Returns the command line that a user would type for these words, with the global options of this run. */
  commandLine(words: readonly string[]): string;
};
