// From a request target to a route: decoding, matching, and which methods a path answers.
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { ApiError } from '../rules/api-error.ts';

/** A route, or for OPTIONS the value of the path's Allow header. */
export type Match =
  | { route: RouteName; parameters: Record<string, string>; search: string }
  | { route: undefined; allow: string };

/** A path of the interface and what it answers to; `undefined` in its segments stands for a parameter. */
type Path = {
  segments: readonly (string | undefined)[];
  parameters: readonly { at: number; name: string }[];
  here: { name: RouteName; method: Route['method'] }[];
};

const PATHS = new Map<string, Path>();
for (const [name, { method, path }] of Object.entries(ROUTES) as [RouteName, Route][]) {
  const known = PATHS.get(path) ?? pathOf(path);
  known.here.push({ name, method });
  PATHS.set(path, known);
}
/** Without a parameter, those of lists among them: found at once. */
const LITERAL = new Map([...PATHS].filter(([, { parameters }]) => parameters.length === 0));

/**
 * HEAD is answered as GET, OPTIONS by every path there is. Throws `not_found` for a path nobody serves,
 * `method_not_allowed` (with an allow header) for a method its path lacks, `request_invalid` for a broken escape.
 */
export function matchRoute(method: string, target: string): Match {
  const [path, search] = splitTarget(target);
  const literal = LITERAL.get(path);
  const segments = literal === undefined ? path.split('/').map(decodeSegment) : [];
  const served = literal ?? fitting(segments);
  if (served === undefined) throw new ApiError('not_found', 'nothing is served under this path');
  const { here } = served;
  if (method === 'OPTIONS') return { route: undefined, allow: allowOf(here) };
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = here.find((route) => route.method === wanted);
  if (found === undefined) {
    const allow = allowOf(here);
    throw new ApiError('method_not_allowed', `this path answers ${allow}`, { allow });
  }
  return { route: found.name, parameters: parametersOf(served, segments), search };
}

function allowOf(here: Path['here']): string {
  const methods = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...methods, 'OPTIONS'].join(', ');
}

function splitTarget(target: string): [path: string, search: string] {
  // A target may name the origin too (RFC 9112 3.2.2).
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
  return { segments, parameters, here: [] };
}

function fitting(segments: readonly string[]): Path | undefined {
  for (const path of PATHS.values()) if (fits(path, segments)) return path;
  return undefined;
}

function fits({ segments: pattern }: Path, segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, at) => (part === undefined ? segments[at] !== '' : part === segments[at]));
}

function parametersOf({ parameters }: Path, segments: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { at, name } of parameters) found[name] = segments[at]!;
  return found;
}
