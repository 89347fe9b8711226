// Reads the address of a PostgreSQL database: its servers, which of them is wanted, and the settings of its connections.
import { nearest } from '../../../contract/nearest.ts';

const SERVER_KINDS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/** Which server a connection may go to, as `target_session_attrs` of PostgreSQL's own programs. */
export type ServerKind = (typeof SERVER_KINDS)[number];

/** What an address says. */
export type PostgresAddress = {
  /** One address for each server, in their order, without the settings. */
  urls: string[];
  /** Undefined where the address does not say it. */
  kind: ServerKind | undefined;
  /** Settings of the server by name. They are not sent at the start of a connection, because poolers refuse or ignore them there. */
  settings: Record<string, string>;
  /** The schema of the archive, by `schema=NAME`. `settings` names it then. */
  schema?: string;
};

/** Parameters of an address that the client would send as settings. */
const SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Parameters of an address: those of PostgreSQL's own programs, of its client for Node, and of arx. Not all have an effect. */
const PARAMETERS = new Set(
  `schema ${SETTINGS.join(' ')} query_timeout ssl uselibpqcompat encoding database binary
  host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding options
  application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
  replication gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword sslcertmode
  sslrootcert sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version min_protocol_version
  max_protocol_version krbsrvname gsslib gssdelegation scram_client_key scram_server_key service servicefile target_session_attrs
  load_balance_hosts oauth_issuer oauth_client_id oauth_client_secret oauth_scope`.split(/\s+/),
);

/**
 * Reads `postgres://user@host1:port1,host2:port2/name?target_session_attrs=…`. Several hosts may also be in `?host=…&port=…`.
 * Returns what is wrong as a text that does not quote the address, since it may contain a password.
 */
export function parseAddress(text: string): PostgresAddress | string {
  if (!isDecodable(text)) return NOT_ENCODED;
  const [scheme] = /^\w+:\/\//.exec(text) ?? [''];
  const after = text.slice(scheme.length);
  const length = after.search(/[/?#]|$/);
  const [authority, rest] = [after.slice(0, length), after.slice(length)];
  const end = authority.lastIndexOf('@') + 1;
  const named = authority.slice(end).split(',').map(serverOf);
  const url = urlOf(`${scheme}${authority.slice(0, end)}${named[0]?.text ?? ''}${rest}`);
  if (url === undefined || named.includes(undefined)) return 'the address is not a URL';
  const { searchParams } = url;
  // Of a password that is not encoded, a part would be taken for a host or a database, which messages name.
  if (url.hash !== '' || url.pathname.includes('@')) return NOT_ENCODED;
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, [...PARAMETERS]);
    // A part of a password that was not encoded could look like a parameter.
    return meant === undefined
      ? 'the address has an unknown parameter; schema=NAME names an archive'
      : `the address has an unknown parameter; did you mean ${meant}=…?`;
  }
  const schemas = searchParams.getAll('schema');
  searchParams.delete('schema');
  const [schema] = schemas;
  if (schema !== undefined && (schemas.length > 1 || !isArchiveName(schema))) return `schema: ${NAME_RULE}`;
  const kind = searchParams.get('target_session_attrs') ?? undefined;
  searchParams.delete('target_session_attrs');
  if (kind !== undefined && !isServerKind(kind))
    return `target_session_attrs is one of ${SERVER_KINDS.join(', ')}`;
  const settings: Record<string, string> = {};
  const options = settingsOf(searchParams.get('options') ?? '');
  if (options !== undefined) {
    searchParams.delete('options');
    Object.assign(settings, options);
  }
  for (const name of SETTINGS) {
    const value = searchParams.get(name);
    if (value !== null) settings[name] = value;
    searchParams.delete(name);
  }
  if (schema !== undefined) {
    if (settings['search_path'] !== undefined)
      return 'the schema is named twice: by schema and by search_path';
    settings['search_path'] = pathTo(schema);
  }
  const name = searchParams.get('dbname');
  if (name !== null) url.pathname = `/${encodeURIComponent(name)}`;
  searchParams.delete('dbname');
  if (/%(?:3F|23)/i.test(url.pathname)) return 'the name of a database with ? or # cannot be used';
  url.pathname = url.pathname.replaceAll(LEFT_ENCODED, decodeURIComponent);
  const servers = serversOf(searchParams, named as Server[]);
  if (typeof servers === 'string') return servers;
  const urls = servers.length === 1 ? [url.href] : servers.map((server) => withServer(url, server));
  return { urls, kind, settings, ...(schema === undefined ? {} : { schema }) };
}

const NOT_ENCODED =
  'in its user, password and database, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25';

/** What the client does not decode in the name of a database: it takes the name for a whole path. */
const LEFT_ENCODED = /%(?:3B|2F|3A|40|26|3D|2B|24|2C)/gi;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What the name of an archive may be. It is the name of a schema, and a part of a path in URLs. */
export const NAME_RULE =
  'a name has at most 63 lower-case letters, digits, - and _, begins with a letter or digit, and is no schema of PostgreSQL itself (pg_…, information_schema)';

/** Returns whether an archive may have this name. Schemas of PostgreSQL itself are none. */
export function isArchiveName(text: string): boolean {
  return /^[a-z\d][a-z\d_-]{0,62}$/.test(text) && !text.startsWith('pg_') && text !== 'information_schema';
}

/** Returns the setting `search_path` under which statements reach one schema and nothing else. */
export function pathTo(schema: string): string {
  return `"${schema}"`;
}

/** Returns the same address with another schema. */
export function withSchema(text: string, schema: string): string {
  return `${text}${text.includes('?') ? '&' : '?'}schema=${schema}`;
}

/** Returns an address for messages: its servers, the database and the schema, without user, password and settings. */
export function shownAddress(text: string): string {
  const address = parseAddress(text);
  if (typeof address === 'string') return 'the database';
  const each = address.urls.map((one) => new URL(one));
  const servers = each.map(({ hostname, port, searchParams }) => {
    const ownPort = searchParams.get('port') ?? port;
    return `${searchParams.get('host') ?? hostname}${ownPort === '' ? '' : `:${ownPort}`}`;
  });
  const schema = address.schema === undefined ? '' : `?schema=${address.schema}`;
  const name = decodeURI(each[0]?.pathname.slice(1) ?? '');
  return `postgres://${servers.join(',')}${name === '' ? '' : `/${encodeURIComponent(name)}`}${schema}`;
}

/** Adds what the variables of PostgreSQL's programs say to an address that does not say it, and that its client for Node ignores. */
export function withVariables(text: string, env: Record<string, string | undefined>): string {
  const more = new URLSearchParams();
  const has = (name: string) => text.includes(`?${name}=`) || text.includes(`&${name}=`);
  const kind = env['PGTARGETSESSIONATTRS'];
  if (kind && !has('target_session_attrs')) more.set('target_session_attrs', kind);
  const hosts = env['PGHOST'] ?? '';
  if (hosts.includes(',') && !has('host') && /^\w+:\/\/(?:[^/?#]*@)?(?:[/?#]|$)/.test(text)) {
    more.set('host', hosts);
    if (env['PGPORT'] && !has('port')) more.set('port', env['PGPORT']);
  }
  // The client reads PGSSLMODE itself, but not the files that go with it, and forgets PGSSLMODE where the address names one.
  const mode = has('sslmode') ? undefined : env['PGSSLMODE'];
  const files = ['sslcert', 'sslkey', 'sslrootcert'].flatMap((name) => {
    const file = has(name) ? undefined : env[`PG${name.toUpperCase()}`];
    return file ? [[name, file] as const] : [];
  });
  if (mode && (files.length > 0 || FILES_IN_ADDRESS.test(text))) more.set('sslmode', mode);
  if (mode || has('sslmode')) for (const [name, file] of files) more.set(name, file);
  if (more.size === 0) return text;
  return `${text}${text.includes('?') ? '&' : '?'}${more.toString()}`;
}

const FILES_IN_ADDRESS = /[?&]ssl(?:cert|key|rootcert)=/;

type Server = { host: string; port: string; text: string };

function serverOf(text: string): Server | undefined {
  const [all, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text) ?? [];
  return all === undefined ? undefined : { host, port, text };
}

/** Adds the host that a URL with a user must have: `postgres://user@/name?host=/run/postgresql` has none. */
function urlOf(text: string): URL | undefined {
  const whole = text.replace('@/', '@localhost/');
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

/** The parameters `host` and `port` count before the hosts of the address. One port is that of all hosts. */
function serversOf(parameters: URLSearchParams, named: Server[]): Server[] | string {
  const hosts = parameters.get('host')?.split(',');
  const ports = parameters.get('port')?.split(',');
  const servers = hosts?.map((host) => ({ host, port: named[0]?.port ?? '', text: host })) ?? named;
  if (ports === undefined) return servers;
  if (ports.length !== 1 && ports.length !== servers.length)
    return 'the address has another number of ports than of hosts';
  return servers.map((server, index) => ({ ...server, port: ports[index] ?? ports[0]! }));
}

function withServer(url: URL, { host, port }: Server): string {
  const one = new URL(url);
  one.searchParams.set('host', host.replaceAll(/[[\]]/g, ''));
  if (port === '') one.searchParams.delete('port');
  else one.searchParams.set('port', port);
  one.port = '';
  return one.href;
}

function isServerKind(text: string): text is ServerKind {
  return (SERVER_KINDS as readonly string[]).includes(text);
}

/** Returns the settings of `-c name=value --name=value`, or undefined where the options contain anything else. */
function settingsOf(options: string): Record<string, string> | undefined {
  const words = options.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  const settings: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] === '-c' ? `-c${words[(at += 1)] ?? ''}` : words[at]!;
    const [, name, value] = /^(?:-c|--)([\w.-]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined) return undefined;
    settings[name.replaceAll('-', '_')] = value!.replaceAll(/\\(.)/gs, '$1');
  }
  return settings;
}
