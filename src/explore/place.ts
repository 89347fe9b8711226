// What a screen of the explorer shows, with the command that prints the same.

/** What a screen shows. Absent filters select every row. */
export type Place =
  | { kind: 'overview' }
  | { kind: 'conversations' }
  /** `message`: the one that is chosen first. */
  | { kind: 'thread'; id: string; message?: string }
  | { kind: 'message'; id: string; headers?: boolean; lore?: boolean; quotes?: boolean }
  | { kind: 'files'; city?: string; type?: string; message?: string }
  | { kind: 'file'; id: string }
  | { kind: 'sequence'; name: string }
  | { kind: 'search'; query: string };

/** Returns the title of a place. It may hold foreign text that is not escaped. */
export function titleOf(place: Place): string {
  switch (place.kind) {
    case 'overview':
      return 'overview';
    case 'conversations':
      return 'conversations';
    case 'files': {
      const { city, type, message } = place;
      const of = [city, type, message].filter((value) => value !== undefined);
      return of.length === 0 ? 'files' : `files: ${of.join(', ')}`;
    }
    case 'sequence':
      return `sequence ${place.name}`;
    case 'search':
      return `search: ${place.query}`;
    default:
      return place.id;
  }
}

/** Returns the words after `arx` of the command that prints what a place shows. */
export function wordsOf(place: Place): string[] {
  switch (place.kind) {
    case 'overview':
      return ['attachments', 'cities'];
    case 'conversations':
      return ['conversations', 'ls', '--all'];
    case 'thread':
      return ['read', ...operands([place.id])];
    case 'message':
      return [
        'read',
        ...(place.headers ? ['--headers'] : []),
        ...(place.lore ? ['--lore'] : []),
        ...(place.quotes ? ['--quotes'] : []),
        ...operands([place.id]),
      ];
    case 'files':
      return ['attachments', 'ls', '--all', ...filterWords(place)];
    case 'file':
      return ['attachments', 'show', ...operands([place.id])];
    case 'sequence':
      return ['sequence', 'show', '--all', ...operands([place.name])];
    default:
      return ['search', '--all', ...operands([place.query])];
  }
}

/** Returns ids and other texts as the last words of a command: the archive could name something like an option. */
export function operands(texts: readonly string[]): string[] {
  return texts.some((text) => text.startsWith('-')) ? ['--', ...texts] : [...texts];
}

/** Returns the options of `attachments ls` and `attachments pull` that select the files of a place. */
export function filterWords({ city, type, message }: Extract<Place, { kind: 'files' }>): string[] {
  return Object.entries({ city, type, message }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}
