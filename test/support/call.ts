// Sends requests to a service in this process and parses the replies.
import type { HeaderList, Service } from '../../src/contract/exchange.ts';
import { textOf } from './archive.ts';

export type CallOptions = {
  method?: string;
  token?: string;
  headers?: HeaderList;
  /** Sent as JSON, or as it is where it is bytes. */
  body?: unknown;
  peer?: string;
  gone?: AbortSignal | undefined;
};

export type Answer = {
  status: number;
  headers: Record<string, string>;
  text: string;
  json: any;
};

/** One request, GET unless there is a body. `json` is undefined where the body is empty. */
export async function call(service: Service, target: string, options: CallOptions = {}): Promise<Answer> {
  const { token, body, headers = [], peer = 'local', gone } = options;
  const response = await service({
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    target,
    headers: [
      ...(token === undefined ? [] : [['authorization', `Bearer ${token}`] as const]),
      ...(body === undefined || headers.some(([name]) => name === 'content-type')
        ? []
        : [['content-type', 'application/json'] as const]),
      ...headers,
    ],
    body: body === undefined ? null : body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)),
    peer,
    ...(gone === undefined ? {} : { gone: () => gone }),
  });
  const text = await textOf(response);
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
  };
}
