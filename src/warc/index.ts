// Records the HTTP exchanges of a run in a WARC file, with tokens and other secrets masked (`--record`).
import type { Transport } from '../client/transport.ts';
import { diskFault } from '../disk/disk-fault.ts';
import type { World } from '../world.ts';
import { beginExchange, type Exchange, type TrafficKind } from './exchange.ts';
import { maskUrl } from './masked-urls.ts';
import { createSecretMasker } from './masking.ts';
import { createBlock } from './record-block.ts';
import { formatWarcFields, type WarcField } from './warc-fields.ts';
import { openWarcFile } from './warc-file.ts';

export type { TrafficKind } from './exchange.ts';

/** Records the exchanges of one run in one WARC file. */
export type Recorder = {
  /** Returns a transport that records every exchange of the given one. */
  wrap(transport: Transport, traffic: TrafficKind): Transport;
  /**
   * Writes the `outcome` of the run as the last record, gives the file its name, and returns its size and number of
   * exchanges. A run that `isRefused` (wrong usage) leaves no file, unless it sent a request. Throws Fault 'disk' or
   * 'unsafe', also when an earlier write failed.
   */
  close(
    outcome: readonly WarcField[],
    isRefused: boolean,
  ): Promise<{ bytes: number; exchanges: number } | undefined>;
};

/** `force` allows to replace an existing file. `version` is the version of arx. */
export type RecorderOptions = {
  /** Absolute path of the WARC file. */
  path: string;
  force: boolean;
  version: string;
  /** The words of the command line after `arx`. */
  words: readonly string[];
  /** URL or name of the archive. */
  archive: string;
  /** Tokens that are known at the start. Tokens that the run obtains are added. */
  secrets: readonly string[];
  world: Pick<World, 'now' | 'running' | 'pid' | 'randomBytes' | 'signal'>;
};

const CONFORMS_TO = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';

/** Opens a recorder. Throws Fault 'unsafe' or 'disk' (see {@link openWarcFile}). */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { path, version, world } = options;
  const masker = createSecretMasker();
  for (const secret of options.secrets) masker.add(secret);
  const file = await openWarcFile(path, options.force, world);
  const newRecordId = (): string => `<urn:uuid:${uuidOf(world.randomBytes(16))}>`;
  const warcinfoId = newRecordId();
  const openExchanges = new Set<Exchange>();
  let exchanges = 0;
  let failure: { error: unknown } | undefined;

  /** Does some recording. A failure is reported by `close`; until then the command continues. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      failure ??= { error };
    }
  }
  async function describe(type: 'warcinfo' | 'metadata', lines: readonly WarcField[]): Promise<void> {
    const block = createBlock(masked(lines), file.openScratchFile);
    const id: WarcField[] =
      type === 'warcinfo'
        ? [
            ['WARC-Record-ID', warcinfoId],
            ['WARC-Filename', path.replace(/^.*[/\\]/, '')],
          ]
        : [
            ['WARC-Record-ID', newRecordId()],
            ['WARC-Warcinfo-ID', warcinfoId],
          ];
    const fields: WarcField[] = [
      ['WARC-Type', type],
      ...id,
      ['WARC-Date', new Date(world.now()).toISOString()],
      ['WARC-Block-Digest', block.digests().block],
      ['Content-Type', 'application/warc-fields'],
    ];
    await file.append(fields, block);
  }
  const masked = (lines: readonly WarcField[]): Buffer =>
    Buffer.from(masker.text(formatWarcFields(lines).toString('latin1')), 'latin1');

  await attempt(() =>
    describe('warcinfo', [
      ['software', `archive-explorer (arx) ${version}`],
      ['format', 'WARC File Format 1.1'],
      ['conformsTo', CONFORMS_TO],
      [
        'description',
        'HTTP exchanges of one run of arx. Arx-Note names what in a record differs from what was sent; masked text is replaced by as many asterisks',
      ],
      ['command', ['arx', ...options.words.map(shellWord)].join(' ')],
      ['archive', maskUrl(options.archive)],
    ]),
  );

  return {
    wrap: (transport, traffic) => async (request) => {
      if (failure !== undefined || request.signal.aborted) return transport(request);
      const bearer = /^bearer +([^ ].*)$/is.exec(request.headers['authorization'] ?? '')?.[1];
      if (bearer !== undefined) masker.add(bearer);
      const isAborted = (): boolean => world.signal.aborted;
      const context = { file, masker, now: world.now(), newRecordId, warcinfoId, isAborted };
      const exchange = beginExchange(request, traffic, context);
      exchanges += 1;
      openExchanges.add(exchange);
      const end = async (cause: unknown): Promise<void> => {
        await attempt(() => exchange.end(cause));
        openExchanges.delete(exchange);
      };
      const reply = await transport(request).catch(async (error: unknown) => {
        await end(error);
        throw error;
      });
      exchange.responseStarted(reply);
      let isBodyRead = false;
      // The request may be aborted before anybody reads the body.
      request.signal.addEventListener('abort', () => void (isBodyRead || end('unread')), { once: true });
      async function* body(): AsyncGenerator<Uint8Array> {
        isBodyRead = true;
        let cause: unknown = 'unread';
        try {
          for await (const chunk of reply.body) {
            await attempt(() => exchange.bodyChunk(chunk));
            yield chunk;
          }
          cause = undefined;
        } catch (error) {
          cause = error;
          throw error;
        } finally {
          await end(cause);
        }
      }
      return { ...reply, body: body() };
    },
    close: async (outcome, isRefused) => {
      for (const exchange of openExchanges) await attempt(() => exchange.end(world.signal.reason));
      if (isRefused && exchanges === 0) {
        await file.discard();
        return undefined;
      }
      await attempt(() => describe('metadata', outcome));
      if (failure === undefined) return { bytes: await file.finish(), exchanges };
      await file.discard();
      throw diskFault(failure.error, path);
    },
  };
}

/** A UUID of version 4 (RFC 9562) from 16 random bytes. */
function uuidOf(randomBytes: Uint8Array): string {
  const bytes = Buffer.from(randomBytes);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A word of the command line as it can be typed again: passwords in URLs masked, quoted when a shell needs it. */
function shellWord(word: string): string {
  const [option = ''] = /^--?[\w-]+=/.exec(word) ?? [];
  const masked = (option + maskUrl(word.slice(option.length))).replaceAll(/(password=)[^&\s]*/gi, '$1***');
  return /^[\w./:=@,+%?&*-]+$/.test(masked) ? masked : `'${masked.replaceAll("'", `'\\''`)}'`;
}
