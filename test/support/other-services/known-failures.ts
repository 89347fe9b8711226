// What is known to be wrong: checks that fail against a service, each with its symptom. A repair makes its test fail.

/** One line for each symptom of a check: check | symptom | services. */
const KNOWN_FAILURES = `
`;

const SYMPTOMS = new Map(
  KNOWN_FAILURES.split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [check, symptom, services] = line.split(' | ') as [string, string, string];
      return services.split(' ').map((service) => [`${service} | ${check}`, symptom] as const);
    }),
);

/** Returns a part of the error with which this check is known to fail, or undefined where it must pass. */
export function knownFailure(service: string, check: string): string | undefined {
  return SYMPTOMS.get(`${service} | ${check}`);
}
