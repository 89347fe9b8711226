// Removes tokens from what a service says about itself: it may send back any that it ever gave or got.
import { redactSecrets } from '../../client/safe-text.ts';
import { ExactNumber } from '../../contract/exact-json.ts';

/**
 * Returns a JSON value without the secrets in what the service says, also in names of members. `isOfService` tells by the
 * name and value of a member of ours whether it holds words of the service; without it the whole value is of the service.
 */
export function withoutSecrets(
  value: unknown,
  secrets: readonly string[],
  isOfService?: (name: string, value: unknown) => boolean,
): unknown {
  const visit = (each: unknown, isHeld: boolean): unknown => {
    const redact = (text: string): string => (isHeld ? redactSecrets(text, secrets) : text);
    if (typeof each === 'string') return redact(each);
    if (Array.isArray(each)) return each.map((one) => visit(one, isHeld));
    // A number that is kept as its text is an object, too.
    if (typeof each !== 'object' || each === null || each instanceof ExactNumber) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, one]) => [
        redact(name),
        visit(one, isHeld || isOfService?.(name, one) === true),
      ]),
    );
  };
  return visit(value, isOfService === undefined);
}
