// What a command may use. The values are made in wiring/create-app.ts, each when it is first asked for.
import type { Client } from './client/index.ts';
import type { Transport } from './client/transport.ts';
import type { Send } from './client/api-call.ts';
import type { Directories } from './config/directories.ts';
import type { StoreWorld } from './config/private-file.ts';
import type { Session } from './config/session.ts';
import type { SettingsFile } from './config/settings-file.ts';
import type { Settings } from './config/settings.ts';
import type { TokenStore } from './config/token-store.ts';
import type { LimitValues } from './download/download-limits.ts';
import type { FileAccess } from './download/file-request.ts';
import type { Fault, FaultKind, Hint } from './faults.ts';
import type { InstantStyle } from './format/instants.ts';
import type { Printer } from './format/printer.ts';
import type { Progress } from './format/terminal/progress.ts';
import type { TerminalCapabilities } from './format/terminal/capabilities.ts';
import type { OpenArchive, ArchiveLocation } from './service/index.ts';
import type { World } from './world.ts';

/** What an interruption leaves: what is kept, and what to do to go on, each as a part of one line. */
export type Interruption = { kept: string; next: string };

/** The parts of a run that commands use. */
export type App = {
  readonly world: World;
  readonly version: string;
  readonly settings: Settings;
  readonly settingsFile: SettingsFile;
  readonly directories: Directories;
  readonly storeWorld: StoreWorld;
  readonly screen: TerminalCapabilities;
  /** How people see instants: `--utc`, `--relative` and TZ decide. */
  readonly instants: InstantStyle;
  readonly printer: Printer;
  /** The output is JSON, so faults end with a JSON record. */
  readonly wantsJson: boolean;
  /** `--strict`: withheld rows and incomplete lists are Faults. */
  readonly strict: boolean;
  /** `-v`. */
  readonly verbose: boolean;
  /** Whether a prompt may be shown: there is a terminal, and no `--no-input`. */
  readonly mayAsk: boolean;
  /** Whether a person may be present: no `--no-input`. */
  readonly isInteractive: boolean;
  /** `--record`: HTTP exchanges are written to a file. */
  readonly isRecorded: boolean;
  /** Whether a base URL is set, so that the archive is not the local one. */
  readonly isRemote: boolean;
  /** The token store that the settings name. */
  readonly tokens: TokenStore;
  /** Moves all tokens to the other store. Throws Fault 'store' where one of both cannot be used. Returns how many. */
  moveTokens(to: 'file' | 'keyring'): Promise<number>;
  session(): Promise<Session>;
  /** Returns the client with the token of this service and profile. */
  client(): Promise<Client>;
  /** Returns the same client, whose requests also end with this signal. */
  clientUntil(signal: AbortSignal): Promise<Client>;
  /** Returns the same client, which also signs the events it sends. */
  signingClient(webhookSecrets: readonly Uint8Array[]): Promise<Client>;
  /** Returns the client without a token. */
  anonymousClient(): Promise<Client>;
  /** Opens the local archive. A `place` names another one, which is the local archive from then on. */
  openArchive(place?: ArchiveLocation): Promise<OpenArchive>;
  /** Limits all downloads of the run; must be called before {@link App.fileAccess}. */
  limitDownloads(limits: LimitValues): void;
  /** Returns how files are fetched. */
  fileAccess(): Promise<FileAccess>;
  /** Whether files are fetched over our own sockets, so that a worker may open some too. */
  readonly hasFileSockets: boolean;
  /** Returns the transport of API calls. */
  apiTransport(): Promise<Transport>;
  /** Returns how to send to an address outside the interface, with a token only where it may go there. */
  sendTo(url: URL): Promise<Send>;
  /** Writes one line for people on stderr, unless `--quiet`. */
  notice(text: Hint): void;
  /** Writes one diagnostic line on stderr with `-v`. */
  log(text: string): void;
  /** Gives the terminal to something else: until the promise resolves no progress is drawn, and lines for people wait. */
  pause(until: Promise<void>): Promise<void>;
  /** Adds a Fault that does not end the command; the most severe one decides the exit code. */
  addFault(fault: Fault): void;
  /** Returns whether a Fault was added before, or one of a kind. */
  hasFailed(kind?: FaultKind): boolean;
  /** Sets what is said where the run is interrupted; it is called then. The last call counts. */
  onInterrupt(describe: () => Interruption): void;
  /** Begins a piece of work that shows its progress. */
  progress(): Progress;
  /** Runs another command line in a world of its own; returns its exit code. `onReport` is told of each report that it prints. */
  runLine(world: World, onReport?: (wire: object) => void): Promise<number>;
};
