// The HTTP exchanges a run rests on, kept as a WARC file while they happen, without the tokens that opened them.
import type { Transport } from '../client/transport.ts';
import { diskFault } from '../disk/disk-fault.ts';
import type { World } from '../world.ts';
import { coveredAddress } from './masked-urls.ts';
import { beginExchange, type Exchange, type Traffic } from './exchange.ts';
import { createMasks } from './masking.ts';
import { namedFields, type Field } from './warc-fields.ts';
import { createSpool } from './record-block.ts';
import { openWarcFile } from './warc-file.ts';

export type { Traffic } from './exchange.ts';

export type Recorder = {
  /** The same transport; what goes through it is recorded. */
  of(transport: Transport, traffic: Traffic): Transport;
  /**
   * Writes the last record and gives the file its name; resolves to its bytes and exchanges. `outcome` is how the run
   * ended. One that `isRefused` leaves no file, unless something was asked. Throws `disk` or `unsafe` Faults, also those
   * of before.
   */
  close(
    outcome: readonly Field[],
    isRefused: boolean,
  ): Promise<{ bytes: number; exchanges: number } | undefined>;
};

export type RecorderOptions = {
  /** Absolute. */
  path: string;
  force: boolean;
  version: string;
  /** Of the command line, and where it asks. */
  words: readonly string[];
  archive: string;
  /** Tokens that this run knows; those it obtains are added. */
  secrets: readonly string[];
  world: Pick<World, 'now' | 'running' | 'pid' | 'randomBytes' | 'signal'>;
};

const CONFORMS_TO = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';

/** Faults as {@link openWarcFile} has them. */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { path, version, world } = options;
  const masks = createMasks();
  for (const secret of options.secrets) masks.add(secret);
  const file = await openWarcFile(path, options.force, world);
  const recordId = (): string => `<urn:uuid:${uuidOf(world.randomBytes(16))}>`;
  const warcinfo = recordId();
  const open = new Set<Exchange>();
  let exchanges = 0;
  let failure: { error: unknown } | undefined;

  /** What fails here is told at the end: the command goes on. */
  async function kept(work: () => Promise<void>): Promise<void> {
    if (failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      failure ??= { error };
    }
  }
  async function describe(type: 'warcinfo' | 'metadata', lines: readonly Field[]): Promise<void> {
    const block = createSpool(masked(lines), file.scratch);
    const id: Field[] =
      type === 'warcinfo'
        ? [
            ['WARC-Record-ID', warcinfo],
            ['WARC-Filename', path.replace(/^.*[/\\]/, '')],
          ]
        : [
            ['WARC-Record-ID', recordId()],
            ['WARC-Warcinfo-ID', warcinfo],
          ];
    const fields: Field[] = [
      ['WARC-Type', type],
      ...id,
      ['WARC-Date', new Date(world.now()).toISOString()],
      ['WARC-Block-Digest', block.digests().block],
      ['Content-Type', 'application/warc-fields'],
    ];
    await file.append(fields, block);
  }
  const masked = (lines: readonly Field[]): Buffer =>
    Buffer.from(masks.text(namedFields(lines).toString('latin1')), 'latin1');

  await kept(() =>
    describe('warcinfo', [
      ['software', `archive-explorer (arx) ${version}`],
      ['format', 'WARC File Format 1.1'],
      ['conformsTo', CONFORMS_TO],
      [
        'description',
        'HTTP exchanges of one run of arx. Arx-Note says of a record what in it is not as it was sent; covered text is as many asterisks',
      ],
      ['command', ['arx', ...options.words.map(shownWord)].join(' ')],
      ['archive', coveredAddress(options.archive)],
    ]),
  );

  return {
    of: (transport, traffic) => async (request) => {
      if (failure !== undefined || request.signal.aborted) return transport(request);
      const bearer = /^bearer +(.*)$/is.exec(request.headers['authorization'] ?? '')?.[1];
      if (bearer !== undefined) masks.add(bearer);
      const isAborted = (): boolean => world.signal.aborted;
      const needs = { file, masks, now: world.now(), recordId, warcinfo, isAborted };
      const exchange = beginExchange(request, traffic, needs);
      exchanges += 1;
      open.add(exchange);
      const end = async (why: unknown): Promise<void> => {
        await kept(() => exchange.end(why));
        open.delete(exchange);
      };
      const reply = await transport(request).catch(async (error: unknown) => {
        await end(error);
        throw error;
      });
      exchange.answered(reply);
      let isBegun = false;
      // Given up before anybody read it.
      request.signal.addEventListener('abort', () => void (isBegun || end('unread')), { once: true });
      async function* body(): AsyncGenerator<Uint8Array> {
        isBegun = true;
        let why: unknown = 'unread';
        try {
          for await (const piece of reply.body) {
            await kept(() => exchange.more(piece));
            yield piece;
          }
          why = undefined;
        } catch (error) {
          why = error;
          throw error;
        } finally {
          await end(why);
        }
      }
      return { ...reply, body: body() };
    },
    close: async (outcome, isRefused) => {
      for (const exchange of open) await kept(() => exchange.end(world.signal.reason));
      if (isRefused && exchanges === 0) {
        await file.discard();
        return undefined;
      }
      await kept(() => describe('metadata', outcome));
      if (failure === undefined) return { bytes: await file.finish(), exchanges };
      await file.discard();
      throw diskFault(failure.error, path);
    },
  };
}

/** Version 4 (RFC 9562). */
function uuidOf(chance: Uint8Array): string {
  const bytes = Buffer.from(chance);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** As it may be shown and typed again: passwords in addresses covered, quoted where a shell needs it. */
function shownWord(word: string): string {
  const bare = coveredAddress(word).replaceAll(/(password=)[^&\s]*/gi, '$1***');
  return /^[\w./:=@,+%?&*-]+$/.test(bare) ? bare : `'${bare.replaceAll("'", `'\\''`)}'`;
}
