// From a request target to a route: decoding, matching, and which methods a path answers.
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { Refusal } from '../refusal.ts';

/** A route, or for OPTIONS the value of the path's Allow header. */
export type Match =
  | { route: RouteName; parameters: Record<string, string>; search: string }
  | { route: undefined; allow: string };

type Known = { name: RouteName; method: Route['method']; segments: readonly string[] };

const KNOWN: readonly Known[] = (Object.entries(ROUTES) as [RouteName, Route][]).map(
  ([name, { method, path }]) => ({ name, method, segments: path.split('/') }),
);

/** What is served under the paths that lists have, which hold no parameter: found at once. */
const LITERAL = new Map(
  KNOWN.filter(({ segments }) => !segments.some(isParameter)).map(({ segments }) => [
    segments.join('/'),
    { segments, here: servedAt(segments) },
  ]),
);

/**
 * HEAD is answered as GET, OPTIONS by every path there is. Throws `not_found` for a path nobody serves,
 * `method_not_allowed` (with an allow header) for a method its path lacks, `request_invalid` for a broken escape.
 */
export function matchRoute(method: string, target: string): Match {
  const [path, search] = splitTarget(target);
  const literal = LITERAL.get(path);
  const segments = literal?.segments ?? path.split('/').map(decodeSegment);
  const here = literal?.here ?? servedAt(segments);
  if (here.length === 0) throw new Refusal('not_found', 'nothing is served under this path');
  if (method === 'OPTIONS') return { route: undefined, allow: allowOf(here) };
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = here.find((route) => route.method === wanted);
  if (found === undefined) {
    const allow = allowOf(here);
    throw new Refusal('method_not_allowed', `this path answers ${allow}`, { allow });
  }
  return { route: found.name, parameters: parametersOf(found.segments, segments), search };
}

function servedAt(segments: readonly string[]): readonly Known[] {
  return KNOWN.filter((known) => fits(known.segments, segments));
}

function allowOf(here: readonly Known[]): string {
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
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    if (isParameter(part)) parameters[part.slice(1, -1)] = segments[index]!;
  }
  return parameters;
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}
