// `arx events send`: validate envelopes, send each, confirm its acknowledgement; the same id on every retry.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { App } from '../../app.ts';
import {
  EVENT_TYPES,
  IngestRequest,
  PAYLOADS,
  type Acknowledgement,
  type EventType,
} from '../../contract/event.ts';
import { Fault } from '../../faults.ts';
import { acknowledgementView } from '../../format/views.ts';

export const Input = z.object({
  type: z.string().min(1).optional(),
  id: z.string().min(1).optional(),
  payload: z.string().optional(),
  file: z.string().min(1).optional(),
  allowUnknownType: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  // Everything is checked before anything is sent.
  const envelopes = input.file === undefined ? [await single(input)] : await fromFile(input, input.file, app);
  const client = await app.client();
  const totals = { rows: 0, accepted: 0, failed: 0 };
  async function* send(): AsyncGenerator<Acknowledgement> {
    for (const envelope of envelopes) {
      totals.rows += 1;
      try {
        const { body } = await client.ingest(envelope);
        totals.accepted += 1;
        yield body;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.kind === 'interrupted') {
          const kept = `${envelope.id} may have been accepted; send it again with the same id`;
          throw new Fault(error.kind, error.message, { ...error.detail, kept });
        }
        totals.failed += 1;
        app.fail(error);
        // What stops one event for a reason of the service stops the next one too.
        if (!['conflict', 'protocol', 'usage'].includes(error.kind)) return;
      }
    }
  }
  if (input.file === undefined) {
    for await (const acknowledgement of send())
      await app.printer.record(acknowledgementView, acknowledgement);
  } else {
    await app.printer.list(acknowledgementView, {
      rows: send(),
      summary: () => ({
        ...totals,
        unsent: envelopes.length - totals.rows,
        complete: totals.accepted === envelopes.length,
      }),
    });
  }
}

async function single(input: Input): Promise<IngestRequest> {
  if (input.type === undefined)
    throw new Fault('usage', 'an event type or --file is missing', { hint: 'arx events types' });
  // An id invented here would be another one at the next try, and the event would count twice.
  if (input.id === undefined) throw new Fault('usage', '--id is missing; arx never invents an event id');
  const text = input.payload === undefined ? '{}' : await payloadText(input.payload);
  return checked({ id: input.id, type: input.type, payload: parseJson(text, '--payload') }, input, 'event');
}

async function payloadText(given: string): Promise<string> {
  if (!given.startsWith('@')) return given;
  try {
    return await readFile(given.slice(1), 'utf8');
  } catch (error) {
    throw new Fault('usage', `cannot read the payload file ${given.slice(1)}`, { cause: error });
  }
}

async function fromFile(input: Input, file: string, app: App): Promise<IngestRequest[]> {
  if (input.type !== undefined || input.id !== undefined || input.payload !== undefined) {
    throw new Fault('usage', '--file takes whole envelopes; type, --id and --payload stand in it');
  }
  const bytes =
    file === '-'
      ? app.world.stdin.bytes()
      : await readFile(file).catch((error: unknown) => {
          throw new Fault('usage', `cannot read ${file}`, { cause: error });
        });
  const chunks: Uint8Array[] = [];
  if (bytes instanceof Uint8Array) chunks.push(bytes);
  else for await (const chunk of bytes) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  const envelopes = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [checked(parseJson(line, `line ${index + 1}`), input, `line ${index + 1}`)],
  );
  if (envelopes.length === 0) throw new Fault('partial', `${file} holds no event: nothing was sent`);
  return envelopes;
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('usage', `${where} is not JSON; nothing was sent`);
  }
}

function checked(value: unknown, input: Input, where: string): IngestRequest {
  const envelope = IngestRequest.safeParse(value);
  if (!envelope.success) throw invalid(envelope.error, where);
  const { type } = envelope.data;
  if (!Object.hasOwn(PAYLOADS, type)) {
    if (input.allowUnknownType) return envelope.data;
    throw new Fault('usage', `${where}: unknown event type ${type}; nothing was sent`, {
      hint: `known: ${EVENT_TYPES.join(', ')}; --allow-unknown-type sends it anyway`,
    });
  }
  const payload = PAYLOADS[type as EventType].safeParse(envelope.data.payload);
  if (!payload.success) throw invalid(payload.error, where, 'payload.');
  return envelope.data;
}

function invalid(error: z.ZodError, where: string, prefix = ''): Fault {
  const issue = error.issues[0];
  const path = `${prefix}${issue?.path.join('.') ?? ''}`.replace(/\.$/, '');
  return new Fault(
    'usage',
    `${where}: ${path}: ${issue?.message.toLowerCase() ?? 'invalid'}; nothing was sent`,
  );
}
