// Fuzzing of the service without a port: each request gets a response of the interface, in time, and never 500.
import { afterAll, beforeAll, test } from 'vitest';
import { ErrorBody, ERROR_STATUS, type ErrorCode } from '../../../src/contract/error.ts';
import type { ServiceRequest } from '../../../src/contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../../src/contract/scalars.ts';
import { HEADERS } from '../../../src/contract/routes.ts';
import { readJsonText, readNdjson } from '../../../src/service/handlers/body.ts';
import { parseQuery } from '../../../src/service/handlers/query.ts';
import { matchRoute } from '../../../src/service/handlers/router.ts';
import { createService } from '../../../src/service/index.ts';
import { ApiError } from '../../../src/service/rules/api-error.ts';
import { acceptEvent } from '../../../src/service/rules/ingest.ts';
import { ASSET_URL, sampleArchive, textOf, tokenFor, type Sample } from '../../support/archive.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { httpInput, type HttpInput } from '../../support/http-inputs.ts';

let sample: Sample;
let service: Sample['service'];
let token: string;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 5, messages: 2, attachments: 10 });
  // Without the check of each response against the OpenAPI document, which takes most of the time.
  service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0.0.0-test' });
  token = await tokenFor(service, 'internal');
});
afterAll(() => sample.close());

function requestOf({ method, target, headers, body }: HttpInput): ServiceRequest {
  return {
    method,
    target,
    headers: headers.map(([name, value]) => [name.toLowerCase(), value.replace('TOKEN', token)] as const),
    body: body.byteLength === 0 ? null : body,
    peer: 'local',
  };
}

const show = (input: HttpInput): string => JSON.stringify({ ...input, body: input.body.toString('latin1') });

/** Fails for what is no error of the interface: another code, or text that the sender could act on a terminal with. */
function checkError({ code, status, message }: { code: string; status: number; message: string }): void {
  if (code === 'internal' || ERROR_STATUS[code as ErrorCode] !== status)
    throw new Error(`${status} ${code}: ${message}`);
  if (!/^\P{C}{1,500}$/u.test(message)) throw new Error(`message ${JSON.stringify(message)}`);
}

test('any request is parsed, or refused by an error of the interface', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: httpInput,
    async check(input) {
      const request = requestOf(input);
      try {
        const { route, ...match } = matchRoute(request.method, request.target);
        if (route === undefined || !('search' in match)) return;
        const query = parseQuery(match.search);
        query.except(['limit']);
        if (query.limit() > 500) throw new Error('a limit above 500');
        query.flag('redacted');
        for (const name of ['q', 'origin_city', 'starting_after']) {
          const text = query.text(name, 2_000);
          if (text !== undefined && !/^\P{C}{1,2000}$/u.test(text))
            throw new Error(`text ${JSON.stringify(text)}`);
        }
        if (route !== 'ingest' && route !== 'token') return;
        for (const line of await readNdjson(request, 100, 'event_invalid').catch(() => []))
          acceptEvent(line());
        const parsed = await readJsonText(request, MAX_REQUEST_BYTES, 'event_invalid');
        if (route === 'ingest') acceptEvent(parsed);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        checkError({ code: error.code, status: ERROR_STATUS[error.code], message: error.message });
      }
    },
    show,
  }),
);

test('any request gets a response of the interface', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: httpInput,
    async check(input) {
      const request = requestOf(input);
      const response = await service(request);
      const text = await textOf(response);
      if (response.headers[HEADERS.requestId]?.startsWith('req_') !== true) throw new Error('no request id');
      if (request.method === 'HEAD' || response.status === 204) return;
      const json: unknown = JSON.parse(text);
      if (response.status < 300) return;
      const { error } = ErrorBody.parse(json);
      checkError({ ...error, status: response.status });
    },
    show,
    // Each reads the archive, and some store an event.
    inputs: 100_000,
  }),
);
