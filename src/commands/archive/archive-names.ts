// Names of archives, as a command takes them.
import * as z from 'zod';
import { isArchiveName, NAME_RULE } from '../../service/administration.ts';

/** One or more names, each once. */
export const archiveNamesInput = z
  .array(
    z.string().refine(isArchiveName, {
      error: ({ input }) => `${JSON.stringify(input)}: ${NAME_RULE}`,
    }),
  )
  .min(1)
  .transform((names) => [...new Set(names)]);
