// How the archive writes a city that was asked for in another spelling: `São Paulo` may be `sao_paulo` there.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { nearest } from '../../contract/nearest.ts';
import { plural } from '../../format/numbers.ts';
import { withProgress } from '../with-progress.ts';
import { wholeCatalogue } from './catalogue.ts';
import type { Filter } from './filter.ts';

/** Returns a name without case, accents, spaces and signs, so that spellings of one city are equal. */
export function foldedCity(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Yields the rows that `read` gives, and where there are none, those of the city as the archive writes it. */
export async function* rowsOfCity<Rows>(
  input: Filter,
  app: App,
  read: (input: Filter) => Promise<AsyncIterable<Rows>>,
): AsyncGenerator<Rows> {
  let isFound = false;
  for await (const rows of await read(input)) {
    isFound = true;
    yield rows;
  }
  const city = isFound || input.city === undefined ? undefined : await cityAsWritten(input.city, app);
  if (city !== undefined) yield* await read({ ...input, city });
}

/**
 * Returns the city that differs from `asked` in case, accents, spaces or signs only, after no row had `asked` itself. Reads the whole
 * list. Says in a notice which it is; where there is none, or more than one, says that, and fails the run under `--strict`.
 */
export async function cityAsWritten(asked: string, app: App): Promise<string | undefined> {
  const { rows } = await wholeCatalogue(app);
  const cities = new Set<string>();
  for await (const { origin_city } of withProgress(rows, 'looking for the city in', 'rows', app)) {
    if (typeof origin_city === 'string' && origin_city !== '') cities.add(origin_city);
  }
  // Its files were left out by other filters.
  if (cities.has(asked)) return undefined;
  const known = [...cities].toSorted();
  const same = known.filter((city) => foldedCity(city) === foldedCity(asked));
  if (same.length === 1) {
    app.notice(`the city "${asked}" is written ${same[0]} here`);
    return same[0];
  }
  const meant = nearest(
    foldedCity(asked),
    known.map((city) => foldedCity(city)),
  );
  const guess = known.find((city) => foldedCity(city) === meant);
  const message =
    same.length > 1
      ? `the city "${asked}" is written in ${plural(same.length, 'way')} here: ${same.join(', ')}`
      : `no city "${asked}"`;
  const others = known.length === 0 ? 'no row names a city' : 'arx attachments cities lists them';
  const hint = guess === undefined ? others : `did you mean ${guess}?`;
  if (app.strict) app.addFault(new Fault('not_found', message, same.length > 1 ? {} : { hint }));
  else app.notice(same.length > 1 ? message : `${message}; ${hint}`);
  return undefined;
}
