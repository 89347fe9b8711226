// Describes the payload of a bag as an RO-Crate 1.1: an entity per file, the withheld files, and how it was made.

/** A file of the payload as the crate describes it. `sha256` is in lower-case hex; absent fields are left out. */
export type CrateFile = {
  /** Relative to the crate. */
  path: string;
  bytes: number;
  sha256: string;
  name?: string;
  description?: string;
  encodingFormat?: string;
  /** The id of its catalogue row. */
  identifier?: string;
  /** The city it came from. */
  city?: string;
  /** Who sent the message that it came with. */
  author?: string;
  /** What the archive says of a file that it no longer gives. */
  conditionsOfAccess?: string;
};

/** A catalogue row whose file is not in the bag. */
export type WithheldFile = {
  id: string;
  name: string | undefined;
  /** Undefined where the archive knows none. */
  sha256: string | undefined;
  /** The archive never had its bytes. */
  isAbsent: boolean;
  reason: string | undefined;
};

/** What the crate says of the bag as a whole, with its files and the files that were withheld from it. */
export type Crate = {
  name: string;
  description: string;
  /** ISO 8601. */
  made: string;
  version: string;
  /** Address of the archive; undefined for a local one. */
  source: string | undefined;
  files: readonly CrateFile[];
  withheld: readonly WithheldFile[];
};

/** Name of the file that describes a crate, in its root folder (RO-Crate 1.1). */
export const CRATE_FILE = 'ro-crate-metadata.json';

/** How a crate says that the archive does not give a file. */
export const CONDITIONS = { withheld: 'withheld', absent: 'absent from the archive' } as const;

type Entity = { '@id': string; '@type': string; [property: string]: unknown };

const SPECIFICATION = 'https://w3id.org/ro/crate/1.1';
const idOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const to = (id: string) => ({ '@id': id });

/**
 * Yields the text of ro-crate-metadata.json: flat JSON-LD, one entity per line, the descriptor and the root entity first
 * (RO-Crate 1.1, sections 3 and 4). Only one entity at a time is in memory.
 */
export function* crateText(crate: Crate): Generator<string> {
  const { files, withheld, source } = crate;
  // The context of RO-Crate 1.1 has no term for a SHA-256 yet.
  const context = [`${SPECIFICATION}/context`, { sha256: 'http://schema.org/sha256' }];
  const descriptor: Entity = {
    '@id': CRATE_FILE,
    '@type': 'CreativeWork',
    about: to('./'),
    conformsTo: to(SPECIFICATION),
  };
  yield `{"@context":${JSON.stringify(context)},"@graph":[\n${JSON.stringify(descriptor)},\n`;
  yield* rootText(crate);
  for (const file of files) yield `,\n${JSON.stringify(fileEntity(file))}`;
  for (const file of withheld) yield `,\n${JSON.stringify(withheldEntity(file))}`;
  const cities = new Set(files.flatMap(({ city }) => (city === undefined ? [] : [city])));
  const authors = new Set(files.flatMap(({ author }) => (author === undefined ? [] : [author])));
  const others: Entity[] = [
    ...[...cities].map((city): Entity => ({ '@id': cityId(city), '@type': 'Place', name: city })),
    ...[...authors].map((name): Entity => ({ '@id': authorId(name), '@type': 'Person', name })),
    {
      '@id': '#license',
      '@type': 'CreativeWork',
      name: 'No licence is known',
      description: 'The archive states no licence for its files.',
    },
    {
      '@id': '#export',
      '@type': 'CreateAction',
      name: 'Export of verified files',
      endTime: crate.made,
      instrument: to('#arx'),
      result: to('./'),
    },
    {
      '@id': '#arx',
      '@type': 'SoftwareApplication',
      name: 'archive-explorer',
      softwareVersion: crate.version,
    },
    ...(source === undefined
      ? []
      : [
          { '@id': source, '@type': 'WebSite', name: 'The archive service' },
          { '@id': PUBLISHER, '@type': 'Organization', name: new URL(source).host, url: source },
        ]),
  ];
  for (const entity of others) yield `,\n${JSON.stringify(entity)}`;
  yield '\n]}\n';
}

/** The root entity, which names all others. */
function* rootText({ name, description, made, source, files, withheld }: Crate): Generator<string> {
  const root: Entity = {
    '@id': './',
    '@type': 'Dataset',
    name,
    description,
    datePublished: made,
    license: to('#license'),
    ...(source === undefined ? {} : { isBasedOn: to(source), publisher: to(PUBLISHER) }),
  };
  yield `${JSON.stringify(root).slice(0, -1)},"hasPart":[`;
  let comma = '';
  for (const { path } of files) {
    yield comma + JSON.stringify(to(idOf(path)));
    comma = ',';
  }
  yield `],"mentions":[${JSON.stringify(to('#export'))}`;
  for (const { id } of withheld) yield `,${JSON.stringify(to(withheldId(id)))}`;
  yield ']}';
}

function fileEntity({ path, bytes, sha256, name, city, author, ...more }: CrateFile): Entity {
  return {
    '@id': idOf(path),
    '@type': 'File',
    name: name ?? path,
    contentSize: String(bytes),
    sha256,
    ...more,
    ...(city === undefined ? {} : { contentLocation: to(cityId(city)) }),
    ...(author === undefined ? {} : { author: to(authorId(author)) }),
  };
}

function withheldEntity({ id, name, sha256, isAbsent, reason }: WithheldFile): Entity {
  const why = isAbsent ? 'The archive never had the bytes of this file' : 'The archive withholds this file';
  return {
    '@id': withheldId(id),
    '@type': 'CreativeWork',
    name: name ?? id,
    description: `${why}${reason === undefined ? '' : ` (${reason})`}; it is not in the bag.`,
    identifier: id,
    ...(sha256 === undefined ? {} : { sha256 }),
    conditionsOfAccess: CONDITIONS[isAbsent ? 'absent' : 'withheld'],
  };
}

const withheldId = (id: string): string => `#withheld-${encodeURIComponent(id)}`;
const cityId = (city: string): string => `#city-${encodeURIComponent(city)}`;
const authorId = (name: string): string =>
  `#author-${encodeURIComponent(name.replaceAll(/\p{Surrogate}/gu, '\ufffd'))}`;
/** Who runs the service that gave the files out. */
const PUBLISHER = '#publisher';
