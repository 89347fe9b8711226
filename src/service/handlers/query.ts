// Query parameters as a handler may have them: each at most once and of the shape it declares; unknown names are ignored.
import { parseLimit } from '../../contract/window.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';

export type Query = {
  /** Text of 1 to 200 characters without control characters. Throws `request_invalid`. */
  text(name: string): string | undefined;
  /** Exactly `true` or `false` (interface 4.3). Throws `request_invalid`. */
  flag(name: string): boolean | undefined;
  /** One of the values. Throws `request_invalid`. */
  choice<T extends string>(name: string, values: readonly T[]): T | undefined;
  /** All parameters but these, in an order that theirs does not change. */
  except(names: readonly string[]): [name: string, value: string][];
  /** Page size by the rules of contract/window.ts. Throws `limit_out_of_range`. */
  limit(): number;
};

/** `search` is what follows the first `?` of a request target. */
export function parseQuery(search: string): Query {
  // A page in mind needs none of them.
  let parsed: URLSearchParams | undefined;
  const given = () => (parsed ??= new URLSearchParams(search));

  const single = (name: string): string | undefined => {
    const values = given().getAll(name);
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
    text(name) {
      const value = single(name);
      if (value !== undefined && !/^[^\p{C}]{1,200}$/u.test(value)) {
        throw new ApiError('request_invalid', `${name}: must be 1 to 200 visible characters`);
      }
      return value;
    },
    flag(name) {
      const value = choice(name, ['true', 'false']);
      return value === undefined ? undefined : value === 'true';
    },
    except(names) {
      const rest = [...given()].filter(([name]) => !names.includes(name));
      return rest.sort((a, b) => (a.join('=') < b.join('=') ? -1 : 1));
    },
    limit() {
      const values = given().getAll('limit');
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
