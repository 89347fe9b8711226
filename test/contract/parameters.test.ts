// The table of query parameters is true: the service reads every parameter it declares, and minds its shape.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { ROUTES, type RouteName } from '../../src/contract/routes.ts';
import { sampleArchive, tokenFor, type Sample } from '../support/archive.ts';
import { call } from '../support/call.ts';

let sample: Sample;
let token: string;
beforeAll(async () => {
  sample = await sampleArchive({});
  token = await tokenFor(sample.service, 'internal');
});
afterAll(() => sample.close());

const PATHS: Partial<Record<RouteName, string>> = {
  attachment: '/v1/attachments/att_1',
  content: '/api/content/msg_1',
  sequence: '/api/sequence/arc_reconstruction',
  conversation: '/v1/conversations/conv_1',
  search: '/v1/search?q=letter',
};
const declared = (Object.keys(PARAMETERS) as RouteName[]).flatMap((route) =>
  Object.keys(PARAMETERS[route].shape).map((parameter) => ({ route, parameter })),
);

// No parameter takes a control character or stands twice; a service that did not read it would answer as if it were absent.
test.each(declared)('$route minds $parameter', async ({ route, parameter }) => {
  const path = PATHS[route] ?? ROUTES[route].path;
  expect((await call(sample.service, path, { token })).status).toBeLessThan(300);
  for (const query of [`${parameter}=%01`, `${parameter}=a&${parameter}=a`]) {
    const answer = await call(sample.service, `${path}${path.includes('?') ? '&' : '?'}${query}`, { token });
    expect({ query, status: answer.status }).toEqual({ query, status: 400 });
  }
});
