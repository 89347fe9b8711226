// What the file of a command exports.
import type * as z from 'zod';
import type { App } from '../app.ts';

/** `Input` reads arguments (by name) and options as commander gives them; `run` does the work or throws a Fault. */
export type CommandBody = {
  Input: z.ZodType;
  run: (input: never, app: App) => Promise<void>;
  /** A signal is the normal end of the command, as of a service. Else a signal before its end gives the exit code of the signal. */
  endsBySignal?: true;
};
