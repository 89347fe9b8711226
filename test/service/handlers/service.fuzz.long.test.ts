// Fuzzing of the service without a port: each request gets a response of the interface, in time, and never 500.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorBody, ERROR_STATUS } from '../../../src/contract/error.ts';
import { HEADERS } from '../../../src/contract/routes.ts';
import { sampleArchive, textOf, tokenFor, type Sample } from '../../support/archive.ts';
import { httpInput, type HttpInput } from '../../support/http-inputs.ts';

/** How long is fuzzed. */
const FUZZ_MS = 20_000;
const HANG_MS = 1_000;

let sample: Sample;
let token: string;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 5, messages: 2, attachments: 10 });
  token = await tokenFor(sample.service, 'internal');
});
afterAll(() => sample.close());

test('any request gets a response of the interface', async () => {
  const respond = async ({ method, target, headers, body }: HttpInput) => {
    const begun = performance.now();
    const response = await sample.service({
      method,
      target,
      headers: headers.map(([name, value]) => [name.toLowerCase(), value.replace('TOKEN', token)] as const),
      body: body.byteLength === 0 ? null : async () => body,
      peer: 'local',
    });
    return { response, text: await textOf(response), ms: performance.now() - begun };
  };
  const result = await fc.check(
    fc.asyncProperty(httpInput, async (input) => {
      let { response, text, ms } = await respond(input);
      // A busy machine may pause a test for a second. It does not so twice.
      if (ms > HANG_MS) ({ response, text, ms } = await respond(input));
      expect(ms).toBeLessThan(HANG_MS);
      expect(response.headers[HEADERS.requestId]).toMatch(/^req_/);
      if (input.method === 'HEAD' || response.status === 204) return;
      const json: unknown = JSON.parse(text);
      if (response.status < 300) return;
      const { error } = ErrorBody.parse(json);
      expect(error.code).not.toBe('internal');
      expect(ERROR_STATUS[error.code as keyof typeof ERROR_STATUS]).toBe(response.status);
      // Text for a person: no control characters of the sender.
      expect(error.message).toMatch(/^[^\p{C}]+$/u);
    }),
    { numRuns: 1_000_000, interruptAfterTimeLimit: FUZZ_MS },
  );
  expect(result.failed, fc.defaultReportMessage(result)).toBe(false);
  expect(result.numRuns).toBeGreaterThan(500);
});
