// `--max-rate` and `--max-bytes`: the limits of a command that downloads files, and what they left out.
import type { App } from '../../app.ts';
import { FileLeftOut } from '../../download/download-limits.ts';
import { Fault } from '../../faults.ts';
import { formatBytes, plural } from '../../format/numbers.ts';
import { shellLine } from '../../shell-words.ts';
import { Size } from './input.ts';

const AtLeastOne = Size.refine((bytes) => bytes >= 1, 'must be at least 1 byte');

/** The input of the options. */
export const LIMIT_INPUT = { maxRate: AtLeastOne.optional(), maxBytes: AtLeastOne.optional() };
type LimitInput = { maxRate?: number | undefined; maxBytes?: number | undefined };

/** Whether any limit was given. */
export function isLimited({ maxRate, maxBytes }: LimitInput): boolean {
  return maxRate !== undefined || maxBytes !== undefined;
}

/** The faults of a command whose downloads are limited. */
export type LimitedDownloads = {
  /** Adds a fault to the run; files that were left out are counted instead. */
  addFault(fault: Fault): void;
  /** Adds one Fault 'partial' for all files that were left out. `next`: the command that goes on. */
  end(next?: readonly string[]): void;
};

/** Limits all downloads of the run. Call it before the first one. */
export function limitDownloads(input: LimitInput, app: App): LimitedDownloads {
  if (isLimited(input)) app.limitDownloads({ bytesPerSecond: input.maxRate, maxBytes: input.maxBytes });
  const leftOut: FileLeftOut[] = [];
  return {
    addFault: (fault) => {
      if (fault instanceof FileLeftOut) leftOut.push(fault);
      else app.addFault(fault);
    },
    end: (next = app.world.argv) => {
      if (leftOut.length === 0) return;
      const bytes = leftOut.reduce((sum, { size = 0 }) => sum + size, 0);
      const sizes = leftOut.some(({ size }) => size === undefined)
        ? 'not all of known size'
        : formatBytes(bytes);
      const files = plural(leftOut.length, 'file');
      app.addFault(
        new Fault('partial', `${files} left out (${sizes}): --max-bytes was reached`, {
          hint: shellLine(['arx', ...next]),
        }),
      );
    },
  };
}
