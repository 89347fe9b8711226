// A request as a port reports it to its observer.
import type { CompletedRequest } from '../../src/service/http/port-observer.ts';

export const COMPLETED_REQUEST: CompletedRequest = {
  requestId: 'req_1',
  method: 'GET',
  route: 'attachments',
  status: 200,
  ms: 3.12345,
  bytes: 10,
  address: '127.0.0.1',
  tier: 'internal',
  aborted: false,
};
