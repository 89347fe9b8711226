// What a command may use: settings, printer, client and local archive, each made when it is first asked for.
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import * as z from 'zod';
import type { Client } from './client/index.ts';
import type { Network } from './client/network.ts';
import type { Send } from './client/sender.ts';
import type { Transport } from './client/transport.ts';
import type { Directories } from './config/directories.ts';
import type { StoreWorld } from './config/private-file.ts';
import type { Session } from './config/session.ts';
import type { SettingsFile } from './config/settings-file.ts';
import { loadSettings, type Settings } from './config/settings.ts';
import type { TokenStore } from './config/token-store.ts';
import { exitCodeOf, worstOf } from './exit.ts';
import { Fault } from './faults.ts';
import { plural, sized } from './format/figures.ts';
import { createPrinter, type Printer } from './format/print.ts';
import { createProgress, type Progress } from './format/progress.ts';
import { screenOf, type Screen } from './format/screen.ts';
import { showText } from './format/terminal.ts';
import { connectLocal, openLocal } from './local.ts';
import type { Call, Flags } from './program.ts';
import type { Recorder, Traffic } from './warc/index.ts';
import type { OpenArchive, Place } from './service/index.ts';
import type { World } from './world.ts';

/** Where files may come from, and by which transport; the token is for no message to show. */
export type FileAccess = {
  transport: Transport;
  bearer: () => Promise<string>;
  allowedOrigins: ReadonlySet<string>;
  timeoutMs: number;
};

export type App = {
  readonly world: World;
  readonly version: string;
  readonly settings: Settings;
  readonly settingsFile: SettingsFile;
  readonly directories: Directories;
  readonly storeWorld: StoreWorld;
  readonly screen: Screen;
  readonly printer: Printer;
  /** Faults end with a JSON record. */
  readonly wantsJson: boolean;
  /** `--strict`: what was withheld or cut is a fault. */
  readonly strict: boolean;
  /** `-v`: diagnostics on stderr. */
  readonly verbose: boolean;
  /** `--no-input`, or no terminal to ask on. */
  readonly mayAsk: boolean;
  /** Whether somebody looks on: not with `--no-input`. */
  readonly isInteractive: boolean;
  /** `--record`: what is asked is written to a file. */
  readonly isRecorded: boolean;
  /** Whether a base URL is set, so that the archive is not the local one. */
  readonly remote: boolean;
  readonly tokens: TokenStore;
  session(): Promise<Session>;
  /** The client with the token of this service and profile. */
  client(): Promise<Client>;
  /** The same, which signs the events it sends. */
  signingClient(webhookSecrets: readonly Uint8Array[]): Promise<Client>;
  /** The client without a token. */
  guest(): Promise<Client>;
  /** The local archive, open; another one where its place is named, which is the local one from then on. */
  local(place?: Place): Promise<OpenArchive>;
  files(): Promise<FileAccess>;
  /** Whether files come by sockets of our own, so that a thread may have some too. */
  readonly hasSockets: boolean;
  /** Sends to an address outside the interface, with a token only where it may go there (session.ts). */
  sendTo(url: URL): Promise<Send>;
  /** One line for people on stderr, unless quiet. */
  notice(text: string): void;
  /** One diagnostic line on stderr with -v. */
  log(text: string): void;
  /** Counts a fault and goes on; the most severe decides the exit code. */
  fail(fault: Fault): void;
  /** `besideRows`: rows are printed meanwhile, so on one terminal it would stand in their way. */
  progress(options?: { besideRows: boolean }): Progress;
  run(call: Call): Promise<void>;
  close(): Promise<void>;
};

/** `a,b,c` as typed. */
const Names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => name !== ''), 'must be names separated by commas');

const Globals = z.object({
  fields: Names.optional(),
  tokenFile: z.string().min(1).optional(),
  allowAssetHost: Names.default([]),
  record: z
    .string()
    .regex(/\.warc\.gz$/, 'must end in .warc.gz')
    .optional(),
  force: z.boolean().default(false),
  strict: z.boolean().default(false),
  input: z.boolean().default(true),
  quiet: z.boolean().default(false),
  verbose: z.boolean().default(false),
});

/** Faults that do not end the run are added to `faults`. */
export async function createApp(
  world: World,
  { call, flags }: { call: Call; flags: Flags },
  version: string,
  faults: Fault[],
): Promise<App> {
  const globals = read(Globals, flags);
  // stderr is written in order; what was said last is waited for at the end.
  let said: Promise<unknown> = Promise.resolve();
  let progress: Progress | undefined;
  const say = (text: string): void => {
    said = said
      .then(() => world.stderr.write(`${progress?.wiped() ?? ''}arx: ${showText(text)}\n`))
      .catch(() => {});
  };
  const notice = (text: string): void => {
    if (!globals.quiet) say(text);
  };
  const storeWorld: StoreWorld = { ...world, sleep: (ms) => world.sleep(ms, world.signal), notice };
  const { settings, directories, file } = loadSettings(
    // Login's own options are settings too.
    { ...call.given, ...flags },
    world,
    storeWorld,
    { lenient: call.words.lenient === true },
  );
  const remote = settings.base_url.value !== undefined;
  // What goes over sockets of our own cannot be recorded.
  const hasSockets = remote && settings.proxy.value === undefined && globals.record === undefined;
  const timeoutMs = settings.timeout.value * 1000;
  const color = { auto: undefined, always: true, never: false }[settings.color.value];
  const screen = screenOf(world.stdout, world.env, { color });
  const output = settings.output.value ?? (world.stdout.isTTY ? 'table' : 'tsv');
  const printer = createPrinter({
    ...world,
    ...screen,
    output,
    fields: globals.fields,
    quiet: globals.quiet,
  });
  const log = (text: string): void => {
    if (globals.verbose) say(text);
  };

  const archives = new Map<string, Promise<OpenArchive>>();
  let home: Place = { dir: directories.data };
  const local = (place = home): Promise<OpenArchive> => {
    home = place;
    const name = JSON.stringify(place);
    const opened = archives.get(name) ?? openLocal(place, world);
    archives.set(name, opened);
    return opened;
  };
  let closeFiles = (): void => {};
  const waits = { connectTimeoutMs: Math.min(timeoutMs, 10_000), idleTimeoutMs: timeoutMs };
  let reached: Promise<Network> | undefined;
  const network = once(() => {
    // Its parser is small WebAssembly: to optimise it costs Node 20 more time and memory than it ever saves.
    if (world.nodeVersion.startsWith('v20.')) setFlagsFromString('--liftoff-only');
    reached = import('./client/network.ts').then(({ createNetwork }) =>
      createNetwork({
        ...waits,
        ...(settings.proxy.value === undefined ? {} : { proxy: settings.proxy.value }),
      }),
    );
    return reached;
  });
  const connect = once(
    async (): Promise<{ baseUrl: string; assetUrl: string | undefined; transport: Transport }> => {
      const { base_url: base, asset_url: asset } = settings;
      if (base.value === undefined) {
        const { asReadable } = await import('./service/index.ts');
        const archive = await local(await asReadable(home));
        return connectLocal(archive, { assetUrl: asset.value, version, log });
      }
      return { baseUrl: base.value, assetUrl: asset.value, transport: (await network()).transport };
    },
  );
  const clientWith = async (
    session: Session | undefined,
    more: { webhookSecrets?: readonly Uint8Array[] } = {},
  ): Promise<Client> => {
    const { createClient } = await import('./client/index.ts');
    const { baseUrl, transport } = await connect();
    return createClient({
      baseUrl,
      transport: recorded(transport, 'answers'),
      bearer: async () => (await session?.bearer())?.token,
      ...(session === undefined ? {} : { renew: () => session.renew() }),
      retries: settings.retries.value,
      insecureHttp: settings.insecure_http.value,
      timeoutMs,
      world,
      log,
      ...more,
    });
  };
  let recorder: Recorder | undefined;
  const recorded = (transport: Transport, traffic: Traffic): Transport =>
    recorder?.of(transport, traffic) ?? transport;
  const record = async (): Promise<void> => {
    if (globals.record === undefined) return;
    const { openRecorder } = await import('./warc/index.ts');
    recorder = await openRecorder({
      path: resolve(world.cwd, globals.record),
      force: globals.force,
      version,
      words: world.argv,
      archive: settings.base_url.value ?? 'local, answered in this process',
      secrets: await (await session()).secrets(),
      world,
    });
  };
  const endRecord = async (): Promise<void> => {
    const worst = worstOf(faults);
    const outcome: [string, string][] = [
      ['exit', String(worst === undefined ? 0 : exitCodeOf(worst))],
      ...faults.map((fault): [string, string] => ['fault', `${fault.kind}, ${fault.message}`]),
    ];
    const kept = await recorder?.close(outcome, worst?.kind === 'usage');
    if (kept === undefined) return;
    const { bytes, exchanges } = kept;
    notice(`the record is in ${globals.record}, ${plural(exchanges, 'exchange')}, ${sized(bytes)}`);
  };
  const { openTokenStore } = await import('./config/token-store.ts');
  const tokens = openTokenStore(directories.config, storeWorld);
  const guest = once(() => clientWith(undefined));
  const session = once(async () => {
    const { createSession } = await import('./config/session.ts');
    return createSession({
      settings,
      store: tokens,
      env: world.env,
      ...(globals.tokenFile === undefined ? {} : { tokenFile: globals.tokenFile }),
      stdin: { bytes: () => tokenBytes(world) },
      signal: world.signal,
      login: async (request) => (await guest()).token(request),
      now: world.now,
      notice,
    });
  });
  const client = once(async () => clientWith(await session()));

  const app: App = {
    world,
    version,
    settings,
    settingsFile: file,
    directories,
    storeWorld,
    screen,
    printer,
    wantsJson: output === 'json' || output === 'ndjson',
    strict: globals.strict,
    verbose: globals.verbose,
    isInteractive: globals.input,
    isRecorded: globals.record !== undefined,
    mayAsk: globals.input && world.stdin.isTTY && world.stderr.isTTY,
    remote,
    hasSockets,
    tokens,
    session,
    client,
    signingClient: async (webhookSecrets) => clientWith(await session(), { webhookSecrets }),
    guest,
    local,
    files: once(async () => {
      const { announcedOrigin, originsOf } = await import('./download/allowed-origins.ts');
      const { baseUrl, assetUrl, transport } = await connect();
      // Without a configured address the service's own word counts, from its health reply, as far as it can.
      const announced = assetUrl === undefined ? (await (await guest()).health()).body.asset_url : undefined;
      const trusted = announced === undefined ? undefined : announcedOrigin(announced, new URL(baseUrl));
      const known = [baseUrl, assetUrl, trusted].filter((url) => url !== undefined);
      const allowedOrigins = originsOf(known, globals.allowAssetHost);
      const bearer = async () => (await (await session()).bearer()).token;
      const access = { transport: recorded(transport, 'files'), allowedOrigins, timeoutMs, bearer };
      if (!hasSockets) return access;
      const { createFileSockets } = await import('./download/pipelined-http/transport.ts');
      const sockets = createFileSockets({ ...waits, monotonic: world.monotonic, careful: transport });
      closeFiles = sockets.close;
      return { ...access, transport: sockets.transport };
    }),
    sendTo: async (url) => {
      const { createSender } = await import('./client/sender.ts');
      const own = await session();
      return createSender({
        transport: recorded((await network()).transport, 'answers'),
        bearer: async () => (await own.bearerFor(url))?.token,
        retries: settings.retries.value,
        timeoutMs,
        world,
        log,
      });
    },
    notice,
    log,
    fail: (fault) => void faults.push(fault),
    progress: ({ besideRows } = { besideRows: false }) => {
      const { animation, unicode, columns } = screenOf(world.stderr, world.env);
      progress = createProgress(world.stderr, world.monotonic, {
        enabled: animation && !globals.quiet && !(besideRows && world.stdout.isTTY),
        unicode,
        columns,
      });
      return progress;
    },
    run: async ({ words, body, given }) => {
      const named = (words.arguments ?? []).map(([syntax]) => syntax.replaceAll(/[^\w-]/g, ''));
      const takesForce = body.Input instanceof z.ZodObject && 'force' in body.Input.shape;
      if (globals.force && !takesForce && globals.record === undefined)
        throw new Fault('usage', '--force: this command replaces no file');
      const input = read(body.Input, { ...given, force: globals.force }, named);
      await record();
      await body.run(input as never, app).catch(async (error: unknown) => {
        if (archives.size === 0 || world.signal.aborted) throw error;
        const { DatabaseTrouble, troubleFault } = await import('./service/index.ts');
        throw error instanceof DatabaseTrouble ? troubleFault(error) : error;
      });
    },
    close: async () => {
      try {
        closeFiles();
        await (await reached)?.close();
        // One that could not be opened was told of by who asked for it.
        for (const archive of archives.values()) {
          await archive.then(
            (open) => open.close(),
            () => {},
          );
        }
      } finally {
        await endRecord().finally(() => said);
      }
    },
  };
  return app;
}

/** What commander read, as the command wants it; a usage Fault names the option or argument that does not fit. */
function read<T extends z.ZodType>(
  schema: T,
  given: Record<string, unknown>,
  named: readonly string[] = [],
): z.infer<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = String(issue?.path[0] ?? '');
  const option = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new Fault(
    'usage',
    `${named.includes(key) ? `<${key}>` : option}: ${issue?.message ?? 'does not fit'}`,
  );
}

/** A token typed at a terminal is not echoed; from a pipe it is read as it comes. */
async function* tokenBytes({ stdin, signal }: World): AsyncGenerator<Uint8Array> {
  if (stdin.isTTY) {
    const line = await stdin.line('token: ', { hidden: true, signal });
    if (line !== undefined) yield Buffer.from(line, 'latin1');
  } else yield* stdin.bytes();
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
