// The progress line of a pull: files and bytes, and how much is left once it is known how much there is.
import type { App } from '../../app.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import type { PulledFile } from '../../contract/reports/files.ts';
import type { Selection } from './selection.ts';

/** Updates the progress line of a pull. `onBytes` adds downloaded bytes; `end` removes the line. */
export type PullProgress = {
  onBytes(count: number): void;
  onFile(file: PulledFile): void;
  end(): Promise<void>;
};

/** Shows the progress line, and returns what updates it. */
export function showPullProgress(app: App, { known }: Selection): PullProgress {
  const progress = app.progress();
  let files = 0;
  let kept = 0;
  let bytes = 0;
  let presentBytes = 0;
  app.onInterrupt(() => ({
    kept: `${plural(kept, 'file')} in the folder`,
    next: 'run the same command to continue',
  }));
  const show = (): void => {
    const isSized = known.isAll && known.unsized === 0;
    progress.update({
      label: `${formatCount(files)}${known.isAll ? ` of ${formatCount(known.files)}` : ''} files`,
      done: bytes,
      total: isSized ? known.bytes - presentBytes : undefined,
      unit: 'bytes',
    });
  };
  show();
  return {
    onBytes: (count) => {
      bytes += count;
      show();
    },
    onFile: (file) => {
      if (file.verdict !== 'withheld' && file.verdict !== 'absent') files += 1;
      if (file.verdict === 'match') kept += 1;
      // Bytes that were here already must not count in the speed.
      if (file.attempts === 0 && file.now === undefined) presentBytes += file.bytes ?? 0;
      show();
    },
    end: () => progress.end(),
  };
}
