// The file of `arx fsck --state`: where a check stands, so that the same command continues it.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { removeQuietly, writeFileAtomically } from '../../disk/atomic-file.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { readBytesIfExists } from '../../disk/regular-file.ts';
import { Fault } from '../../faults.ts';
import { FSCK_CHECKS, FsckReport } from '../../contract/reports/archive.ts';
import type { FsckState } from '../../service/fsck/check-archive.ts';

/** How often the file is written, in milliseconds. What was checked since then is checked again. */
const WRITE_EVERY_MS = 5_000;

const { findings, unchecked, since } = FsckReport.shape;
/** A state names at most a hundred subjects of each finding. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

const StateFile = z.object({
  arx_fsck_state: z.literal(1),
  /** The place of the archive, and the date of `--since` as it was typed. */
  of: z.string(),
  state: z.object({
    began_at: z.string(),
    since: since.unwrap().nullable(),
    step: z.string(),
    after: z.number().int().nonnegative(),
    findings: z.object({
      checks: z.array(z.tuple([z.enum(FSCK_CHECKS), z.number()])),
      findings,
      unchecked: unchecked.unwrap(),
      has_wrong_values: z.boolean(),
      bytes: z.number(),
    }),
    pages: z.array(z.string()).nullable().default(null),
  }),
});

/** The state of a check in a file. */
export type StateKeeper = {
  /** Where an interrupted check stands, undefined where none is to be continued. */
  resume: FsckState | undefined;
  /** Takes a state, and writes it now and then. */
  checkpoint(state: FsckState): void;
  /** Writes the last state, for another run. */
  keep(): void;
  /** Removes the file: the check is complete. */
  remove(): void;
};

/**
 * Reads the state of `of` from a file that may be missing. Throws Fault 'usage' where it is that of another check, 'unsafe' where
 * it is something else, and 'disk'.
 */
export async function openState(file: string, of: string, { world }: App): Promise<StateKeeper> {
  const path = resolve(world.cwd, file);
  const resume = await readState(path, file, of);
  let last: FsckState | undefined;
  let writtenAt: number | undefined;
  const write = (): void => {
    if (last === undefined) return;
    const text = `${JSON.stringify({ arx_fsck_state: 1, of, state: last } satisfies z.infer<typeof StateFile>)}\n`;
    try {
      writeFileAtomically({ temporary: `${path}.${world.pid}.new`, path, force: true }, Buffer.from(text));
    } catch (error) {
      throw diskFault(error, file);
    }
    writtenAt = world.monotonic();
  };
  return {
    resume,
    checkpoint(state) {
      last = state;
      // The first time at once: a file that cannot be written is found before anything is checked.
      if (writtenAt === undefined || world.monotonic() - writtenAt >= WRITE_EVERY_MS) write();
    },
    keep: write,
    remove: () => removeQuietly(path),
  };
}

async function readState(path: string, file: string, of: string): Promise<FsckState | undefined> {
  const bytes = await readBytesIfExists(path, MAX_STATE_BYTES).catch((error: unknown) => {
    throw diskFault(error, file);
  });
  if (bytes === undefined) return undefined;
  const parsed = StateFile.safeParse(parseJson(bytes.toString()));
  if (!parsed.success) throw new Fault('unsafe', `${file} exists and is not the state of a check`);
  if (parsed.data.of !== of)
    throw new Fault(
      'usage',
      `${file} is the state of another check: of ${shown(parsed.data.of)}; this is one of ${shown(of)}`,
      {
        hint: 'name another file, or remove it to give that check up',
      },
    );
  return parsed.data.state;
}

/** A check without `--since` is one of the whole archive. */
function shown(of: string): string {
  return of.includes(' --since ') ? of : `${of} as a whole`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
