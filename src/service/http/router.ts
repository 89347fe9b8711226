// From a request target to a route: decoding, matching, and which methods a path answers.
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { Refusal } from '../refusal.ts';

export type Match = {
  /** The route, or undefined for OPTIONS. */
  route: RouteName | undefined;
  parameters: Record<string, string>;
  search: string;
  /** Value of an Allow header for this path. */
  allow: string;
};

type Known = { name: RouteName; route: Route; segments: readonly string[] };

const KNOWN: readonly Known[] = (Object.entries(ROUTES) as [RouteName, Route][]).map(([name, route]) => ({
  name,
  route,
  segments: route.path.split('/'),
}));

/**
 * HEAD is answered as GET, OPTIONS by every path there is. Throws `not_found` for a path nobody serves,
 * `method_not_allowed` (with an allow header) for a method its path lacks, `request_invalid` for a broken escape.
 */
export function matchRoute(method: string, target: string): Match {
  const [path, search] = splitTarget(target);
  const segments = path.split('/').map(decodeSegment);
  const here = KNOWN.filter((known) => fits(known.segments, segments));
  if (here.length === 0) throw new Refusal('not_found', 'nothing is served under this path');
  const allow = here
    .flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
    .concat('OPTIONS')
    .join(', ');
  if (method === 'OPTIONS') return { route: undefined, parameters: {}, search, allow };
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = here.find(({ route }) => route.method === wanted);
  if (found === undefined) {
    throw new Refusal('method_not_allowed', `this path answers ${allow}`, { allow });
  }
  return { route: found.name, parameters: parametersOf(found.segments, segments), search, allow };
}

function splitTarget(target: string): [path: string, search: string] {
  // A target may name the origin too (RFC 9112 3.2.2).
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = local.indexOf('?');
  return at < 0 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('request_invalid', 'the path has a broken percent escape');
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const named = pattern.flatMap((part, index) =>
    isParameter(part) ? [[part.slice(1, -1), segments[index]!] as const] : [],
  );
  return Object.fromEntries(named);
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}
