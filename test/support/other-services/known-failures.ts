// What is known to be wrong: checks that fail against a service, each with its symptom. A repair makes its test fail.

/** One line for each symptom of a check: check | symptom | services. */
const KNOWN_FAILURES = `
attachments ls: every row | exit 11 | map
attachments ls: every row --city lisbon | exit 11 | map
attachments ls: every row --redacted yes | exit 11 | map
attachments ls: every row --redacted no --type text/csv | exit 11 | map
attachments ls: every row --redacted no --source gateway | exit 11 | map
attachments ls: a page of a city | exit 11 | map
attachments ls: hashes, names and marks as they are | exit 11 | map
attachments show: one | exit 11 | map
attachments show: one that is not there | exit 11 | map
attachments pull: one by its id, then verified and packed | exit 11 | map
attachments pull: a city | exit 11 | map
attachments pull: what would be downloaded | exit 11 | map
attachments pull: one that is withheld | exit 11 | map
conversations ls: five rows | exit 11 | map
attachments ls: five rows | exit 11 | map
conversations ls: after and before a row | exit 11 | map
attachments ls: after and before a row | exit 11 | map
conversations ls: as a table with titles | exit 11 | map
conversations ls: the default page | exit 11 | map
conversations ls: with -v, where the rows and their ids are | not a word about rows | map
conversations ls: fields of a wrong type are left out, with one notice each | exit 11 | map
conversations show: one with its messages | exit 11 | map
conversations show: one that is not there | exit 11 | map
sequence show: one page | a row without an id: {"source":"external","status":"stable","sequence":1} | map
conversations walk: the exact list | exit 11 | map
conversations walk: in pages of ten | exit 11 | map
conversations walk: a range | exit 11 | map
conversations walk: every row to be confirmed by /messages | exit 11 | map
conversations walk: frozen, checked, drawn, compared and resumed | exit 11 | map
conversations walk: with its summary as JSON | exit 11 | map
sequence show: one page | a row without an id: {"source":"external","status":"stable","_id":"entry_1","sequence":1} | id-id
sequence show: every entry | a row without an id: {"source":"external","status":"stable","_id":"entry_1","sequence":1} | id-id
sequence show: one page | a row without an id: {"source":"external","status":"stable","uuid":"entry_1","sequence":1} | id-uuid
sequence show: every entry | a row without an id: {"source":"external","status":"stable","uuid":"entry_1","sequence":1} | id-uuid
sequence show: one page | a row without an id: {"source":"external","status":"stable","uid":"entry_1","sequence":1} | id-uid
sequence show: every entry | a row without an id: {"source":"external","status":"stable","uid":"entry_1","sequence":1} | id-uid
sequence show: one page | a row without an id: {"source":"external","status":"stable","key":"entry_1","sequence":1} | id-key
sequence show: every entry | a row without an id: {"source":"external","status":"stable","key":"entry_1","sequence":1} | id-key
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
