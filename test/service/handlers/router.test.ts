// The router finds the same route as a plain comparison of every route with the target.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, test as plain } from 'vitest';
import { ROUTES } from '../../../src/contract/routes.ts';
import { ApiError } from '../../../src/service/rules/api-error.ts';
import { matchRoute } from '../../../src/service/handlers/router.ts';

/** As plainly as it can be said. */
function matched(method: string, target: string): unknown {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = '', ...rest] = local.split('?');
  const search = rest.join('?');
  let segments: string[];
  try {
    segments = path.split('/').map(decodeURIComponent);
  } catch {
    return 'request_invalid';
  }
  const here = Object.entries(ROUTES).filter(([, route]) => {
    const parts = route.path.split('/');
    const fits = (part: string, at: number) =>
      part.startsWith('{') ? segments[at] !== '' : part === segments[at];
    return parts.length === segments.length && parts.every(fits);
  });
  const allow = [
    ...here.flatMap(([, one]) => (one.method === 'GET' ? ['GET', 'HEAD'] : ['POST'])),
    'OPTIONS',
  ].join(', ');
  if (here.length === 0) return 'not_found';
  if (method === 'OPTIONS') return { route: undefined, allow };
  const found = here.find(([, route]) => route.method === (method === 'HEAD' ? 'GET' : method));
  if (found === undefined) return `method_not_allowed ${allow}`;
  const named = found[1].path
    .split('/')
    .flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), segments[at]]] : []));
  return { route: found[0], parameters: Object.fromEntries(named), search };
}

function answered(method: string, target: string): unknown {
  try {
    return matchRoute(method, target);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === 'method_not_allowed' ? `${error.code} ${error.headers['allow']}` : error.code;
  }
}

const segment = fc.oneof(
  fc.constantFrom(...Object.values(ROUTES).flatMap(({ path }) => path.split('/'))),
  fc.constantFrom('', '%', '%2F', '%61pi', 'v1%3F', 'att_1', '..', '__proto__', 'é', '{id}', '#', '%00'),
  fc.string({ maxLength: 3 }),
);
const known = fc.constantFrom(...Object.values(ROUTES).map(({ path }) => path));
const path = fc.oneof(
  known,
  known.map((text) => text.replaceAll(/\{\w+\}/g, 'att_1')),
  known.map((text) => text.replace('a', '%61')),
  fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
);
const target = fc
  .tuple(
    fc.constantFrom('', '', '', 'http://host', 'HTTPS://a:1', 'x'),
    path,
    fc.constantFrom('', '?', '?a=1', '?a=?b', '/'),
  )
  .map((parts) => parts.join(''));

describe('routes', () => {
  test.prop([fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'get'), target], { numRuns: 2_000 })(
    'are those that a plain comparison finds',
    (method, asked) => {
      expect(answered(method, asked)).toEqual(matched(method, asked));
    },
  );

  plain('every path of the interface is found', () => {
    for (const [name, route] of Object.entries(ROUTES)) {
      expect(answered(route.method, route.path.replaceAll(/\{\w+\}/g, 'x'))).toMatchObject({ route: name });
    }
  });
});
