// What a command may use. The values are made in wiring/create-app.ts, each when it is first asked for.
import type { Client } from './client/index.ts';
import type { Send } from './client/api-call.ts';
import type { Transport } from './client/transport.ts';
import type { Directories } from './config/directories.ts';
import type { StoreWorld } from './config/private-file.ts';
import type { Session } from './config/session.ts';
import type { SettingsFile } from './config/settings-file.ts';
import type { Settings } from './config/settings.ts';
import type { TokenStore } from './config/token-store.ts';
import type { Fault } from './faults.ts';
import type { Printer } from './format/printer.ts';
import type { Progress } from './format/terminal/progress.ts';
import type { TerminalCapabilities } from './format/terminal/capabilities.ts';
import type { OpenArchive, ArchiveLocation } from './service/index.ts';
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
  readonly screen: TerminalCapabilities;
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
  readonly isRemote: boolean;
  readonly tokens: TokenStore;
  session(): Promise<Session>;
  /** The client with the token of this service and profile. */
  client(): Promise<Client>;
  /** The same, which signs the events it sends. */
  signingClient(webhookSecrets: readonly Uint8Array[]): Promise<Client>;
  /** The client without a token. */
  anonymousClient(): Promise<Client>;
  /** The local archive, open; another one where its place is named, which is the local one from then on. */
  openArchive(place?: ArchiveLocation): Promise<OpenArchive>;
  fileAccess(): Promise<FileAccess>;
  /** Whether files come by sockets of our own, so that a thread may have some too. */
  readonly hasFileSockets: boolean;
  /** Sends to an address outside the interface, with a token only where it may go there (session.ts). */
  sendTo(url: URL): Promise<Send>;
  /** One line for people on stderr, unless quiet. */
  notice(text: string): void;
  /** One diagnostic line on stderr with -v. */
  log(text: string): void;
  /** Counts a fault and goes on; the most severe decides the exit code. */
  addFault(fault: Fault): void;
  /** `besideRows`: rows are printed meanwhile, so on one terminal it would stand in their way. */
  progress(options?: { besideRows: boolean }): Progress;
  /** Runs another command line in a world of its own; returns its exit code. */
  runLine(world: World): Promise<number>;
};
