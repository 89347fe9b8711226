// What is known to be wrong: checks that fail against a service, each with its symptom. A repair makes its test fail.

/** One line for each symptom of a check: check | symptom | services. */
const KNOWN_FAILURES = `
attachments ls: every row | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments ls: every row --redacted yes | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments ls: every row --redacted no --type text/csv | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments ls: every row --redacted no --source gateway | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments show: one | exit 8 | plain newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments show: one that is not there | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments pull: one by its id, then verified and packed | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments pull: what would be downloaded | exit 8 | plain singles newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
attachments pull: one that is withheld | exit 8 | plain newest-first titled descending one-cursor no-messages refused-messages base64 raw-text not-accepted files-elsewhere
conversations show: one with its messages | exit 3 | plain singles ignores one-message newest-first bare items descending forward-only forward-refuses one-cursor no-cursors clamped-7 clamped-30 base64 raw-text not-accepted files-elsewhere
messages ls: of one conversation, one page | 25 messages of other conversations | plain singles ignores one-message newest-first json-api bare items titled descending forward-only forward-refuses one-cursor base64 raw-text not-accepted files-elsewhere
messages ls: of one conversation, all of them | rows: 750 for 4, 746 that do not belong | plain singles ignores newest-first json-api bare items titled descending forward-only forward-refuses one-cursor clamped-7 clamped-30 base64 raw-text not-accepted files-elsewhere
messages ls: the first message of each conversation | first messages: 750 for 300, 450 that do not belong | plain singles ignores newest-first json-api bare items titled descending forward-only forward-refuses one-cursor clamped-7 clamped-30 base64 raw-text not-accepted files-elsewhere
sequence show: one page | exit 11 | plain singles refuses refuses-in-html ignores one-message newest-first json-api nested hal data-items result-data next-number edges graph-edges map bare named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending forward-only forward-refuses one-cursor opaque-cursors no-cursors no-cursors-bare clamped-7 clamped-30 no-messages refused-messages base64 raw-text not-accepted files-elsewhere
sequence show: every entry | exit 11 | plain singles refuses refuses-in-html ignores one-message newest-first json-api nested hal data-items result-data next-number edges graph-edges map bare named items results entries records rows list values content id-id id-uuid id-uid id-key titled odd-fields descending forward-only forward-refuses one-cursor no-cursors no-cursors-bare clamped-7 clamped-30 no-messages refused-messages base64 raw-text not-accepted files-elsewhere
conversations walk: every row to be confirmed by /messages | exit 0 and not a word about the cross-check | plain singles ignores one-message newest-first json-api bare items titled descending one-cursor clamped-7 clamped-30 no-messages base64 raw-text not-accepted files-elsewhere
attachments ls: every row --redacted yes | exit 11 | refuses refuses-in-html json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments ls: every row --redacted no --type text/csv | exit 11 | refuses refuses-in-html json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments ls: every row --redacted no --source gateway | exit 11 | refuses refuses-in-html json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
conversations show: one with its messages | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
messages ls: of one conversation, all of them | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields no-cursors no-cursors-bare
conversations walk: the exact list | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields forward-refuses no-cursors no-cursors-bare refused-messages
conversations walk: a range | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields forward-only forward-refuses one-cursor
conversations walk: every row to be confirmed by /messages | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields forward-refuses refused-messages
conversations walk: frozen, checked, drawn, compared and resumed | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields forward-refuses no-cursors no-cursors-bare refused-messages
conversations walk: with its summary as JSON | exit 11 | refuses refuses-in-html nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields forward-refuses no-cursors no-cursors-bare refused-messages
messages ls: of one conversation, all of them | rows: 300 for 1, 299 that do not belong | one-message
attachments ls: every row | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments ls: every row --city lisbon | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments ls: a page of a city | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
attachments ls: hashes, names and marks as they are | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
attachments show: one | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments show: one that is not there | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments pull: one by its id, then verified and packed | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments pull: a city | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments pull: what would be downloaded | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments pull: one that is withheld | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
attachments ls: five rows | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
attachments ls: after and before a row | exit 11 | json-api nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
conversations ls: as a table with titles | the title is not shown | json-api titled
conversations show: one with its messages | messages: 750 for 4, 746 that do not belong | json-api titled
login: then whoami, token, a list and logout | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key opaque-cursors
doctor: with the service | exit 11 | nested hal data-items result-data edges graph-edges map id-id id-uuid id-uid id-key opaque-cursors
content get: one that is not there | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
conversations ls: five rows | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
messages ls: five rows | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
conversations ls: after and before a row | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
conversations ls: as a table with titles | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
conversations ls: the default page | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields opaque-cursors
conversations show: one that is not there | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields
messages ls: all of them | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields no-cursors no-cursors-bare
conversations walk: in pages of ten | exit 11 | nested hal data-items result-data next-number edges graph-edges map named results entries records rows list values content id-id id-uuid id-uid id-key odd-fields forward-only forward-refuses one-cursor no-cursors no-cursors-bare
conversations walk: in pages of ten | exit 8 | descending
conversations ls: after and before a row | rows before a cursor: 5 for 3, 2 that do not belong | forward-only
attachments ls: after and before a row | rows before a cursor: 5 for 3, 2 that do not belong | forward-only
conversations walk: the exact list | exit 8 | forward-only
conversations walk: frozen, checked, drawn, compared and resumed | exit 8 | forward-only
conversations walk: with its summary as JSON | exit 8 | forward-only
conversations ls: after and before a row | rows after a cursor that are not after it | no-cursors no-cursors-bare
attachments ls: after and before a row | rows after a cursor that are not after it | no-cursors no-cursors-bare
messages ls: of one conversation, one page | 746 messages of other conversations | no-cursors no-cursors-bare
messages ls: of one conversation, one page | 5 messages of other conversations | clamped-7
messages ls: of one conversation, one page | 30 messages of other conversations | clamped-30
conversations walk: a range | rows: 30 for 49, 19 missing | clamped-30
attachments pull: files of another host only where that is allowed | exit 8 | files-elsewhere
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
