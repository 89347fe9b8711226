// Query parameters for handlers: each at most once, in UTF-8, of the declared type. Unknown names are ignored.
import { parseLimit } from '../../contract/window.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';

/** Reads the query parameters of one request. Absent ones are undefined, unless the contract has a default. */
export type Query = {
  /** Returns a text of 1 to `max` characters [200] without control characters. Throws ApiError `request_invalid`. */
  text(name: string, max?: number): string | undefined;
  /** Returns `true` or `false` (interface 4.3). Throws ApiError `request_invalid` for other texts. */
  flag(name: string): boolean | undefined;
  /** Returns one of the values. Throws ApiError `request_invalid` for others. */
  choice<T extends string>(name: string, values: readonly T[]): T | undefined;
  /** Returns all parameters except these, sorted, so that their order in the request does not matter. */
  except(names: readonly string[]): [name: string, value: string][];
  /** Returns the page size, see contract/window.ts. Throws ApiError `limit_out_of_range`. */
  limit(): number;
};

/** Returns the query of a request target. Its functions also throw ApiError `request_invalid` for a broken percent escape; `search` is the text after its first `?`. */
export function parseQuery(search: string): Query {
  // Parsed when first used: a cached response needs no parameter.
  let parsed: URLSearchParams | undefined;
  const parameters = () => (parsed ??= decode(search));

  const single = (name: string): string | undefined => {
    const values = parameters().getAll(name);
    if (values.length > 1) throw new ApiError('request_invalid', `${name}: must be given once`);
    return values[0];
  };
  const choice = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = single(name);
    if (value === undefined) return undefined;
    const found = values.find((known) => known === value);
    if (found === undefined) throw new ApiError('request_invalid', `${name}: must be ${values.join(' or ')}`);
    return found;
  };

  return {
    choice,
    text(name, max = 200) {
      const value = single(name);
      if (
        value !== undefined &&
        (!/^[^\p{C}]+$/u.test(value) || value.length > 2 * max || Array.from(value).length > max)
      ) {
        throw new ApiError('request_invalid', `${name}: must be 1 to ${max} visible characters`);
      }
      return value;
    },
    flag(name) {
      const value = choice(name, ['true', 'false']);
      return value === undefined ? undefined : value === 'true';
    },
    except(names) {
      const rest = [...parameters()].filter(([name]) => !names.includes(name));
      return rest.sort((a, b) => (a.join('=') < b.join('=') ? -1 : 1));
    },
    limit() {
      const values = parameters().getAll('limit');
      const limit = values.length > 1 ? undefined : parseLimit(values[0]);
      if (limit === undefined) {
        throw new ApiError(
          'limit_out_of_range',
          `limit: must be one integer from ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum}`,
        );
      }
      return limit;
    },
  };
}

/** URLSearchParams reads escapes that are not UTF-8 as U+FFFD, and so as another value than was sent. */
function decode(search: string): URLSearchParams {
  try {
    decodeURIComponent(search);
  } catch {
    throw new ApiError('request_invalid', 'the query has a broken percent escape');
  }
  return new URLSearchParams(search);
}
