// Compares the fields of the raw and the lore view of a message, and says what each means.
import { isDeepStrictEqual } from 'node:util';
import type { LoreRecord, RawRecord } from '../../contract/content.ts';
import type { ViewField } from '../../contract/reports/content-diff.ts';
import { ownValue } from '../../contract/own-value.ts';

/** The same fact under two names: raw → lore. */
const ALIASES: Readonly<Record<string, string>> = { entry: 'glyph_trigger' };

/** What the fields of our service mean (interface 2.2 and 4.3). */
const MEANINGS: Readonly<Record<string, string>> = {
  id: 'the message',
  entry: 'its number of arrival, which lore calls its glyph',
  integrity: 'the share of checks that it passed',
  source: 'where it came from',
  classification: 'what kind of message the archive takes it for',
  sequence_status:
    'whether it is in its place (linear), moved (non_linear), or answers a message that is missing (gap)',
  origin: 'whether the lore record was made from the message (derived)',
  pipeline: 'what was made of its files',
  stego: 'where it holds hidden data',
  conversation_id: 'the conversation it is in',
  parent_id: 'the message that it answers',
  sequence: 'its reported position',
  format: 'the form of the stored bytes',
  date: 'when it was written',
  subject: 'its subject',
  from: 'who wrote it',
  headers: 'the fields of its header',
  text: 'its plain text',
  html: 'its HTML',
  truncated: 'which of these are cut',
  raw_base64: 'the stored bytes',
  raw_url: 'where the stored bytes are',
  sha256: 'the hash of the stored bytes',
  bytes: 'the size of the stored bytes',
  attachments: 'its files',
  withheld: 'files that you may not have',
  unavailable: 'files that cannot be had, and why',
  parts: 'its parts, with the places of withheld files',
};

/** Returns every field of both views once: those of the raw view in its order, then those of lore alone. */
export function compareViews(raw: RawRecord, lore: LoreRecord): ViewField[] {
  const told = new Map<string, unknown>(Object.entries(lore));
  const fields = Object.entries(raw).map(([name, value]): ViewField => {
    const other = told.has(name) ? name : (ownValue(ALIASES, name) ?? name);
    const field = { name, ...(other === name ? {} : { alias: other }), raw: value, meaning: meaningOf(name) };
    if (!told.has(other)) return { name, state: 'raw_only', raw: value, meaning: meaningOf(name) };
    const said = told.get(other);
    told.delete(other);
    return { ...field, lore: said, state: isDeepStrictEqual(value, said) ? 'equal' : 'different' };
  });
  const others = [...told].map(([name, value]): ViewField => ({
    name,
    state: 'lore_only',
    lore: value,
    meaning: meaningOf(name),
  }));
  return [...fields, ...others];
}

const meaningOf = (name: string): string | null =>
  Object.hasOwn(MEANINGS, name) ? (MEANINGS[name] ?? null) : null;
