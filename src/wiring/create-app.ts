// Makes the App of one run from its world, its settings and its global flags.
import type { App, Interruption } from '../app.ts';
import type { Client } from '../client/index.ts';
import { effectOf, type CommandSpec } from '../command-list/command-spec.ts';
import type { CommandWords } from '../command-list/index.ts';
import type { StoreWorld } from '../config/private-file.ts';
import type { Session } from '../config/session.ts';
import { withSource } from '../config/setting-source.ts';
import { loadSettings } from '../config/settings.ts';
import type { LimitValues } from '../download/download-limits.ts';
import type { FileAccess } from '../download/file-request.ts';
import { Fault, hintText, type HintNames } from '../faults.ts';
import { formFault } from '../format/form-fault.ts';
import { instantStyle } from '../format/instants.ts';
import { plural } from '../format/numbers.ts';
import { createPrinter, noSums, type PrinterOptions } from '../format/printer.ts';
import { terminalCapabilities } from '../format/terminal/capabilities.ts';
import type { World } from '../world.ts';
import { createConnection } from './connection.ts';
import { withCurlLog } from './curl-log.ts';
import { createDiagnostics } from './diagnostics.ts';
import { openFileAccess } from './files-access.ts';
import { readGlobalFlags, type GlobalFlags } from './global-flags.ts';
import { hintNames } from './hint-names.ts';
import { DEFAULT_ASSET_URL } from './local-archive.ts';
import { createLocalArchives } from './local-archives.ts';
import { firstSteps } from './no-archive.ts';
import { createPaging } from './paging.ts';
import { createRecording } from './recording.ts';
import { createSeenRows } from './seen-rows.ts';
import { tokenBytes } from './token-input.ts';
import { openTokens } from './tokens.ts';
import { namingOptions } from './typed-options.ts';
import { lazy } from '../lazy.ts';

/** An App with what only its runner uses. */
export type RunningApp = App & {
  readonly flags: GlobalFlags;
  /** What hints name of this run. */
  readonly names: HintNames;
  /** Prints the names and types of the fields of the command's record. */
  listFields(): Promise<void>;
  /** Whether the user closed the pager before it had all of the output. */
  isPagerClosed(): boolean;
  /** Returns what the interrupted command says, undefined where it has nothing of its own to say. */
  interruption(): Interruption | undefined;
  /** Runs what `--jq` has not run yet, and keeps what was printed for completion. Throws Fault 'usage' where its program failed. */
  finishOutput(): Promise<void>;
  startRecording(): Promise<void>;
  /** Returns the Fault that an error of a command means. */
  faultOf(error: unknown): Promise<unknown>;
  close(): Promise<void>;
};

/** What an App is made from. */
export type AppOptions = {
  spec: CommandSpec & { words: CommandWords };
  /** Arguments and options of the command. */
  given: Record<string, unknown>;
  /** Values of the global options. */
  flags: Record<string, unknown>;
  version: string;
  /** Faults that do not end the run are added here. */
  faults: Fault[];
  runLine: App['runLine'];
  /** Is told of each report that the command prints. */
  onReport: ((wire: object) => void) | undefined;
};

/** Returns the App. Throws Fault 'usage' where a global option or a setting does not fit. */
export async function createApp(outside: World, options: AppOptions): Promise<RunningApp> {
  const { version, faults } = options;
  const flags = readGlobalFlags(options.flags);
  const world =
    flags.maxTime === undefined
      ? outside
      : (await import('./time-limit.ts')).withTimeLimit(outside, flags.maxTime);
  const diagnostics = createDiagnostics(world, flags);
  const { notice, log } = diagnostics;
  const storeWorld: StoreWorld = { ...world, sleep: (ms) => world.sleep(ms, world.signal), notice };
  const { settings, directories, file } = loadSettings(
    // The options of login are settings too.
    { ...options.given, ...options.flags },
    world,
    storeWorld,
    { lenient: options.spec.lenient === true },
  );
  const names = hintNames({ settings, file });
  const isRemote = settings.base_url.value !== undefined;
  const isCurlLogged = flags.verbose > 1;
  // What goes over sockets of our own cannot be recorded or logged.
  const hasFileSockets =
    isRemote && settings.proxy.value === undefined && flags.record === undefined && !isCurlLogged;
  const timeoutMs = settings.timeout.value * 1000;
  const color = { auto: undefined, always: true, never: false }[settings.color.value];
  const screen = terminalCapabilities(world.stdout, world.env, { color });
  const output = settings.output.value ?? (world.stdout.isTTY ? 'table' : 'tsv');
  if (flags.csvSafe && output !== 'tsv' && output !== 'csv')
    throw formFault('--csv-safe goes with -o csv or -o tsv');
  if (flags.summary && output !== 'ndjson') throw formFault('--summary goes with -o ndjson');
  if (flags.summary && flags.template !== undefined) throw formFault('--summary does not go with --template');
  const isOneRowPerLine = output === 'tsv' || output === 'csv' || output === 'ndjson';
  const printing = { given: options.given, isOneRowPerLine, isRemote };
  // The command that mends a setting must run in spite of it.
  const isMending = options.spec.lenient === true && settings.output.origin !== 'flag';
  if (output === 'sums' && !isMending) {
    const { hasSums } = await import('../command-list/printed-records.ts');
    if (!hasSums(options.spec.words, printing)) throw noSums();
  }
  const fields = async (): Promise<typeof import('./selected-fields.ts')> => import('./selected-fields.ts');
  const jq =
    flags.jq === undefined
      ? undefined
      : await (
          await import('../format/jq-sink.ts')
        ).openJqSink({
          program: flags.jq,
          isPerRecord: output === 'ndjson',
          world: { ...world, stdout: diagnostics.stdout },
          onUnknownField: notice,
        });
  const { stdout, pause } = diagnostics;
  const paging = createPaging({ world, settings, isInteractive: flags.input, stdout, notice, pause });
  const { links, ...canvas } = screen;
  // The local archive names addresses that nothing serves until `arx serve` runs.
  const isOpen = (address: string): boolean => isRemote || !address.startsWith(`${DEFAULT_ASSET_URL}/`);
  const seen = createSeenRows(options.spec.words, world, { settings, cache: directories.cache });
  const instants = instantStyle({
    utc: flags.utc,
    relative: flags.relative,
    timeZone: world.env['TZ'],
    now: world.now,
  });
  const template =
    flags.template === undefined
      ? undefined
      : (await import('./template-output.ts')).openTemplate(flags.template, options.spec.words, {
          run: printing,
          stdout,
          notice,
        });
  const recordSink = jq?.sink ?? template?.sink;
  const isChange = effectOf(options.spec, options.given) === 'change';
  const isFormChosen =
    settings.output.value !== undefined || flags.fields !== undefined || recordSink !== undefined;
  const printer = seen.watching(
    createPrinter({
      ...world,
      stdout,
      stderr: diagnostics.stderr,
      ...(recordSink === undefined ? (isChange ? {} : { paging }) : { stdout: recordSink }),
      ...canvas,
      ...(links ? { links: isOpen } : {}),
      instants,
      output,
      fields:
        flags.fields === undefined || flags.fields === true
          ? undefined
          : (await fields()).selectFields(flags.fields, options.spec.words, { run: printing, notice }),
      quiet: flags.quiet,
      onReport: options.onReport,
      isSilent: flags.quiet && isChange && !isFormChosen,
      csvSafe: flags.csvSafe,
      templateFields: template?.fields,
      named: template?.names ?? jq?.names,
      complete:
        output === 'ndjson' && flags.fields === undefined
          ? (await fields()).completeRecords(options.spec.words, printing)
          : undefined,
      withSummary: flags.summary,
      isForProgram: jq !== undefined,
      cut: cutAfter(flags.maxRows, faults),
    }),
  );

  const archives = createLocalArchives(directories.data, {
    isOffline: flags.offline,
    world,
    notice,
    firstSteps: () => firstSteps({ settings, tokens }),
  });
  const { watch, connected } = diagnostics;
  const connection = createConnection({
    settings,
    archives,
    version,
    isOffline: flags.offline,
    logged: (transport) =>
      isCurlLogged ? withCurlLog(transport, async () => (await session()).secrets(), log) : transport,
    log,
    watch,
    connected,
    world,
  });
  const { tokens, moveTokens } = await openTokens(
    settings.token_store.value,
    directories.config,
    storeWorld,
    world,
  );
  const session = lazy(async () => {
    const { createSession } = await import('../config/session.ts');
    return createSession({
      settings,
      store: tokens,
      env: world.env,
      ...(flags.tokenFile === undefined ? {} : { tokenFile: flags.tokenFile }),
      stdin: { bytes: () => tokenBytes(world) },
      signal: world.signal,
      login: async (request) => (await loginClient()).token(request),
      now: world.now,
      notice,
    });
  });
  const recording = createRecording({
    file: flags.record,
    force: flags.force,
    version,
    archive: settings.base_url.value ?? 'local, answered in this process',
    session,
    notice,
    world,
  });
  const knownSecrets = async (): Promise<readonly string[]> => (await session()).knownSecrets();
  const clientWith = async (
    of: Session | undefined,
    more: {
      webhookSecrets?: readonly Uint8Array[];
      baseUrl?: string;
      ownerSecret?: string;
      world?: World;
    } = {},
  ): Promise<Client> => {
    const { createClient } = await import('../client/index.ts');
    const { baseUrl, transport } = await connection.connect();
    return createClient({
      baseUrl,
      transport: recording.wrap(transport, 'api'),
      bearer: async () => (await of?.bearer())?.token,
      secrets: knownSecrets,
      ...(of === undefined
        ? {}
        : {
            renew: () => of.renew(),
            hintAfterRefusal: () => of.hintAfterRefusal(),
            tierGiven: (tier) => of.tierGiven(tier),
          }),
      remembers: isRemote,
      retries: settings.retries.value,
      insecureHttp: settings.insecure_http.value,
      timeoutMs,
      world,
      log,
      notice,
      ...more,
    });
  };
  const anonymousClient = lazy(() => clientWith(undefined));
  const loginClient = async (): Promise<Client> => {
    const { base_url: base, proxy } = settings;
    // A proxy would read the secret.
    if (base.value === undefined || proxy.value !== undefined) return anonymousClient();
    const { readOwnerSecret } = await import('../config/owner-secret.ts');
    const owner = readOwnerSecret(directories.config, base.value, storeWorld);
    return owner === undefined
      ? anonymousClient()
      : clientWith(undefined, { baseUrl: owner.baseUrl, ownerSecret: owner.secret });
  };
  let describe: (() => Interruption) | undefined;
  let closeFiles = (): void => {};
  let limitValues: LimitValues | undefined;
  const fileAccess = lazy(async (): Promise<FileAccess> => {
    const allowedHosts = flags.allowAssetHost;
    const opened = await openFileAccess({
      connection,
      recording,
      session,
      anonymousClient,
      allowedHosts,
      hasFileSockets,
      timeoutMs,
      world,
    });
    closeFiles = opened.close;
    if (limitValues === undefined) return opened.access;
    const { createDownloadLimits } = await import('../download/download-limits.ts');
    return { ...opened.access, limits: createDownloadLimits(limitValues, world) };
  });

  return {
    world,
    version,
    flags,
    settings,
    settingsFile: file,
    directories,
    storeWorld,
    screen,
    instants,
    printer,
    wantsJson: output === 'json' || output === 'ndjson',
    strict: flags.strict,
    verbose: flags.verbose > 0,
    isInteractive: flags.input,
    isRecorded: flags.record !== undefined,
    mayAsk: flags.input && world.stderr.isTTY && world.stdin.isTTY,
    isRemote,
    hasFileSockets,
    tokens,
    moveTokens,
    session,
    client: lazy(async () => clientWith(await session())),
    clientUntil: async (signal) => clientWith(await session(), { world: { ...world, signal } }),
    signingClient: async (webhookSecrets) => clientWith(await session(), { webhookSecrets }),
    anonymousClient,
    openArchive: archives.open,
    limitDownloads: (limits) => {
      limitValues = limits;
    },
    fileAccess,
    apiTransport: async () => recording.wrap((await connection.connect()).transport, 'api'),
    sendTo: async (url) => {
      const { createSender } = await import('../client/api-call.ts');
      const own = await session();
      return createSender({
        transport: recording.wrap(await connection.network(), 'api'),
        bearer: async () => (await own.bearerFor(url))?.token,
        secrets: knownSecrets,
        retries: settings.retries.value,
        timeoutMs,
        world,
        log,
      });
    },
    names,
    notice: (text) => notice(hintText(text, names)),
    log,
    pause,
    addFault: (fault) => void faults.push(fault),
    hasFailed: (kind) => faults.some((fault) => kind === undefined || fault.kind === kind),
    onInterrupt: (description) => {
      describe = description;
    },
    interruption: () => {
      const rows = printer.rowsRead();
      if (describe !== undefined || rows === undefined) return describe?.();
      return { kept: `${plural(rows, 'row')} read`, next: 'run the same command again' };
    },
    progress: () => diagnostics.progress.begin(),
    runLine: options.runLine,
    listFields: async () => {
      const rows = (await fields()).legalFields(options.spec.words, printing);
      const { recordFieldView } = await import('../format/views/record-field.ts');
      await printer.list(recordFieldView, { rows, summary: () => ({ rows: rows.length, complete: true }) });
    },
    isPagerClosed: paging.isClosedEarly,
    finishOutput: async () => {
      await jq?.finish();
      seen.save();
    },
    startRecording: recording.start,
    faultOf: async (error) =>
      namingOptions(withSource(await archives.faultOf(error), { settings, file }), world.argv),
    close: async () => {
      try {
        await jq?.end();
        closeFiles();
        await connection.close();
        await archives.close();
      } finally {
        await recording.end(faults).finally(() => diagnostics.drained());
      }
    },
  };
}

/** Returns where a list is cut. Then the run ends with Fault 'partial'. */
function cutAfter(maxRows: number | undefined, faults: Fault[]): PrinterOptions['cut'] {
  if (maxRows === undefined) return undefined;
  const fault = new Fault('partial', `cut after ${plural(maxRows, 'row')}: more follow`, {
    hint: '--max-rows allows more',
  });
  return { maxRows, onCut: () => void faults.push(fault) };
}
