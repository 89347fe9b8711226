// Finds the route of a request by method and path.
import { NO_ROUTE } from '../../contract/error.ts';
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { ApiError } from '../rules/api-error.ts';

/** A matched route with its decoded parameters and the query; for OPTIONS the Allow header of the path. */
export type Match =
  | { route: RouteName; parameters: Record<string, string>; search: string }
  | { route: undefined; allow: string };

/** A path and its routes. `undefined` in its segments stands for a parameter. */
type Path = {
  segments: readonly (string | undefined)[];
  parameters: readonly { at: number; name: string }[];
  routes: { name: RouteName; method: Route['method'] }[];
};

const PATHS = new Map<string, Path>();
for (const [name, { method, path }] of Object.entries(ROUTES) as [RouteName, Route][]) {
  const known = PATHS.get(path) ?? pathOf(path);
  known.routes.push({ name, method });
  PATHS.set(path, known);
}
/** Paths without a parameter, for example those of lists: found without decoding and comparing segments. */
const LITERAL = new Map([...PATHS].filter(([, { parameters }]) => parameters.length === 0));

/**
 * Returns the route of a request. HEAD matches as GET; OPTIONS matches every known path and `*`. Throws ApiError `not_found` for an
 * unknown path, `method_not_allowed` with an Allow header for a method that the path lacks, `request_invalid` for a broken
 * percent escape.
 */
export function matchRoute(method: string, target: string): Match {
  if (method === 'OPTIONS' && target === '*') return { route: undefined, allow: 'GET, HEAD, POST, OPTIONS' };
  const [path, search] = splitTarget(target);
  const literal = LITERAL.get(path);
  const segments = literal === undefined ? path.split('/').map(decodeSegment) : [];
  const found = literal ?? matchingPath(segments);
  if (found === undefined) throw new ApiError('not_found', NO_ROUTE);
  const { routes } = found;
  if (method === 'OPTIONS') return { route: undefined, allow: allowOf(routes) };
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = routes.find(({ method: known }) => known === wanted);
  if (route === undefined) {
    const allow = allowOf(routes);
    throw new ApiError('method_not_allowed', `this path answers ${allow}`, { allow });
  }
  return { route: route.name, parameters: parametersOf(found, segments), search };
}

function allowOf(routes: Path['routes']): string {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...methods, 'OPTIONS'].join(', ');
}

function splitTarget(target: string): [path: string, search: string] {
  // A target may be a whole URL (RFC 9112 3.2.2).
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = local.indexOf('?');
  return at < 0 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError('request_invalid', 'the path has a broken percent escape');
  }
}

function pathOf(path: string): Path {
  const segments = path.split('/').map((part) => (part.startsWith('{') ? undefined : part));
  const parameters = path
    .split('/')
    .map((part, at) => ({ at, name: part.slice(1, -1) }))
    .filter(({ at }) => segments[at] === undefined);
  return { segments, parameters, routes: [] };
}

function matchingPath(segments: readonly string[]): Path | undefined {
  for (const path of PATHS.values()) if (matches(path, segments)) return path;
  return undefined;
}

function matches({ segments: pattern }: Path, segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, at) => (part === undefined ? segments[at] !== '' : part === segments[at]));
}

function parametersOf({ parameters }: Path, segments: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { at, name } of parameters) found[name] = segments[at]!;
  return found;
}
