// Makes the App of one run from its world, its settings and its global flags.
import type { App, Interruption } from '../app.ts';
import type { CommandSpec } from '../command-list/command-spec.ts';
import type { CommandWords } from '../command-list/index.ts';
import type { StoreWorld } from '../config/private-file.ts';
import { withSource } from '../config/setting-source.ts';
import { loadSettings } from '../config/settings.ts';
import { Fault, hintText, type HintNames } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { lazy } from '../lazy.ts';
import type { World } from '../world.ts';
import { createClients } from './clients.ts';
import { createConnection } from './connection.ts';
import { withCurlLog } from './curl-log.ts';
import { createDiagnostics } from './diagnostics.ts';
import { createFiles } from './files-access.ts';
import { readGlobalFlags, type GlobalFlags } from './global-flags.ts';
import { hintNames } from './hint-names.ts';
import { createLocalArchives } from './local-archives.ts';
import { firstSteps } from './no-archive.ts';
import { createOutput } from './output.ts';
import { createRecording } from './recording.ts';
import { tokenBytes } from './token-input.ts';
import { openTokens } from './tokens.ts';
import { namingOptions } from './typed-options.ts';

/** An App with what only its runner uses. */
export type RunningApp = App & {
  readonly flags: GlobalFlags;
  /** What hints name of this run. */
  readonly names: HintNames;
  /** Prints the names and types of the fields of the command's record. */
  listFields(): Promise<void>;
  /** Whether the user closed the pager before it had all of the output. */
  isPagerClosed(): boolean;
  /** Returns what is kept and how to go on, as the interrupted command says it; undefined where it says nothing of that. */
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
  // Files that come over sockets of their own cannot be recorded or logged.
  const hasFileSockets =
    isRemote && settings.proxy.value === undefined && flags.record === undefined && !isCurlLogged;
  const output = await createOutput({ ...options, flags, settings, directories, diagnostics, world });
  const { printer } = output;

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
  const { loginClient, ...clients } = createClients({
    settings,
    directories,
    connection,
    recording,
    session,
    diagnostics,
    storeWorld,
    world,
  });
  let describe: (() => Interruption) | undefined;
  const files = createFiles({
    connection,
    recording,
    session,
    anonymousClient: clients.anonymousClient,
    allowedHosts: flags.allowAssetHost,
    hasFileSockets,
    timeoutMs: settings.timeout.value * 1000,
    world,
  });

  return {
    world,
    version,
    flags,
    settings,
    settingsFile: file,
    directories,
    storeWorld,
    screen: output.screen,
    instants: output.instants,
    printer,
    wantsJson: output.isJson,
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
    ...clients,
    openArchive: archives.open,
    limitDownloads: files.limit,
    fileAccess: files.access,
    names,
    notice: (text) => notice(hintText(text, names)),
    log,
    pause: diagnostics.pause,
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
    listFields: output.listFields,
    isPagerClosed: output.isPagerClosed,
    finishOutput: output.finish,
    startRecording: recording.start,
    faultOf: async (error) =>
      namingOptions(withSource(await archives.faultOf(error), { settings, file }), world.argv),
    close: async () => {
      try {
        await output.close();
        files.close();
        await connection.close();
        await archives.close();
      } finally {
        await recording.end(faults).finally(() => diagnostics.drained());
      }
    },
  };
}
