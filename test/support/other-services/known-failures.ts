// What is known to be wrong: checks that fail against a service, each with its symptom. A repair makes its test fail.

/** One line for each symptom of a check: check | symptom | services. */
const KNOWN_FAILURES = `
attachments ls: every row | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments ls: every row --redacted yes | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments ls: every row --redacted no --type text/csv | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments ls: every row --redacted no --source gateway | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments show: one | exit 8 | plain newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments show: one that is not there | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments pull: one by its id, then verified and packed | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments pull: what would be downloaded | exit 8 | plain singles newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
attachments pull: one that is withheld | exit 8 | plain newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages rough-plain rough-json-api drifting-plain
sequence show: every entry | exit 8 | plain singles ignores one-message newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges map named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor attachments-in-one-page no-messages refused-messages base64 raw-text not-accepted files-elsewhere slow-messages
conversations walk: every row to be confirmed by /messages | exit 0 and not a word about the cross-check | plain singles ignores one-message newest-first json-api nested hal data-items result-data next-number next-object edges graph-edges bare named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending one-cursor clamped-7 clamped-30 no-messages base64 raw-text not-accepted files-elsewhere rough-plain rough-json-api rough-ignores drifting-plain
conversations walk: the exact list | exit 11 | refuses refuses-in-html map forward-refuses no-cursors no-cursors-bare attachments-in-one-page refused-messages
conversations walk: a range | exit 11 | refuses refuses-in-html map forward-only forward-refuses one-cursor
conversations walk: every row to be confirmed by /messages | exit 11 | refuses refuses-in-html map forward-refuses attachments-in-one-page refused-messages
conversations walk: frozen, checked, drawn, compared and resumed | exit 11 | refuses refuses-in-html map forward-refuses no-cursors no-cursors-bare attachments-in-one-page refused-messages
conversations walk: with its summary as JSON | exit 11 | refuses refuses-in-html map forward-refuses no-cursors no-cursors-bare attachments-in-one-page refused-messages
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
conversations show: one with its messages | exit 11 | map
conversations show: one that is not there | exit 11 | map
sequence show: one page | a row without an id: {"source":"external","status":"stable","sequence":1} | map
conversations walk: in pages of ten | exit 11 | map forward-only forward-refuses one-cursor no-cursors no-cursors-bare
sequence show: one page | a row without an id: {"source":"external","status":"stable","_id":"entry_1","sequence":1} | id-id
sequence show: one page | a row without an id: {"source":"external","status":"stable","uuid":"entry_1","sequence":1} | id-uuid
sequence show: one page | a row without an id: {"source":"external","status":"stable","uid":"entry_1","sequence":1} | id-uid
sequence show: one page | a row without an id: {"source":"external","status":"stable","key":"entry_1","sequence":1} | id-key
conversations walk: in pages of ten | exit 8 | descending
conversations ls: after and before a row | rows before a cursor: 5 for 3, 2 that do not belong | forward-only
attachments ls: after and before a row | rows before a cursor: 5 for 3, 2 that do not belong | forward-only
conversations walk: the exact list | exit 8 | forward-only
conversations walk: frozen, checked, drawn, compared and resumed | exit 8 | forward-only
conversations walk: with its summary as JSON | exit 8 | forward-only
conversations ls: after and before a row | rows after a cursor that are not after it | no-cursors no-cursors-bare
attachments ls: after and before a row | rows after a cursor that are not after it | no-cursors no-cursors-bare attachments-in-one-page
messages ls: of one conversation, all of them | exit 11 | no-cursors no-cursors-bare
messages ls: all of them | exit 11 | no-cursors no-cursors-bare
sequence show: every entry | exit 3 | no-cursors
conversations walk: a range | rows: 30 for 49, 19 missing | clamped-30
attachments pull: files of another host only where that is allowed | exit 8 | files-elsewhere
content get: one that is not there | exit 10 | slow-messages
conversations walk: the exact list | exit 10 | slow-messages
conversations walk: every row to be confirmed by /messages | exit 10 | slow-messages
conversations walk: frozen, checked, drawn, compared and resumed | exit 10 | slow-messages
conversations walk: with its summary as JSON | exit 10 | slow-messages
messages ls: the first message of each conversation | first messages: 750 for 300, 450 that do not belong | drifting-plain
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
