// Describes a bag's payload as an RO-Crate 1.1: one entity a file, the records that are withheld, and how it was made.

export type CrateFile = {
  /** Relative to the crate. */
  path: string;
  bytes: number;
  sha256: string;
  name?: string;
  description?: string;
  encodingFormat?: string;
  /** The id of its record in the archive. */
  identifier?: string;
  /** The city it came from. */
  city?: string;
};

/** A record whose file is not given. */
export type WithheldFile = { id: string; name: string | undefined; sha256: string };

export type Crate = {
  name: string;
  description: string;
  /** ISO 8601. */
  made: string;
  version: string;
  /** Address of the archive, where it has one. */
  source: string | undefined;
  files: readonly CrateFile[];
  withheld: readonly WithheldFile[];
};

export const CRATE_FILE = 'ro-crate-metadata.json';

type Entity = { '@id': string; '@type': string; [property: string]: unknown };

const SPECIFICATION = 'https://w3id.org/ro/crate/1.1';
const idOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const to = (id: string) => ({ '@id': id });

/** The text of ro-crate-metadata.json: flat JSON-LD, the descriptor and the root entity first (RO-Crate 1.1, 3 and 4). */
export function crateText(crate: Crate): string {
  const files = crate.files.map(fileEntity);
  const withheld = crate.withheld.map(withheldEntity);
  const cities = [...new Set(crate.files.flatMap(({ city }) => (city === undefined ? [] : [city])))];
  const root: Entity = {
    '@id': './',
    '@type': 'Dataset',
    name: crate.name,
    description: crate.description,
    datePublished: crate.made,
    license: to('#license'),
    ...(crate.source === undefined ? {} : { isBasedOn: to(crate.source) }),
    hasPart: files.map((file) => to(file['@id'])),
    mentions: [to('#export'), ...withheld.map((entity) => to(entity['@id']))],
  };
  const graph: Entity[] = [
    {
      '@id': CRATE_FILE,
      '@type': 'CreativeWork',
      about: to('./'),
      conformsTo: to(SPECIFICATION),
    },
    root,
    ...files,
    ...withheld,
    ...cities.map((city): Entity => ({ '@id': cityId(city), '@type': 'Place', name: city })),
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
    ...(crate.source === undefined
      ? []
      : [{ '@id': crate.source, '@type': 'WebSite', name: 'The archive service' }]),
  ];
  // The context of 1.1 is older than schema.org's term for a SHA-256.
  const context = [`${SPECIFICATION}/context`, { sha256: 'http://schema.org/sha256' }];
  return `${JSON.stringify({ '@context': context, '@graph': graph }, null, 1)}\n`;
}

function fileEntity({ path, bytes, sha256, name, city, ...more }: CrateFile): Entity {
  return {
    '@id': idOf(path),
    '@type': 'File',
    name: name ?? path,
    contentSize: String(bytes),
    sha256,
    ...more,
    ...(city === undefined ? {} : { contentLocation: to(cityId(city)) }),
  };
}

function withheldEntity({ id, name, sha256 }: WithheldFile): Entity {
  return {
    '@id': `#withheld-${encodeURIComponent(id)}`,
    '@type': 'CreativeWork',
    name: name ?? id,
    description: 'The archive withholds this file; it is not in the bag.',
    identifier: id,
    sha256,
    conditionsOfAccess: 'withheld',
  };
}

const cityId = (city: string): string => `#city-${encodeURIComponent(city)}`;
