// Checks every answer of a service against its OpenAPI document with a validator that is not ours.
import OpenApiResponseValidator from 'openapi-response-validator';
import type { Service } from '../../src/contract/exchange.ts';
import { buildOpenApi } from '../../src/contract/openapi.ts';
import { atFileEnd } from './file-end.ts';

type Operation = { operationId: string; responses: Record<string, object> };
type Validator = InstanceType<typeof OpenApiResponseValidator>;

const { paths, components } = buildOpenApi('0') as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: ConstructorParameters<typeof OpenApiResponseValidator>[0]['components'];
};
const validators = new Map<string, Validator>();

/** Operation and status → how many answers of the current test file were checked. */
const checked = new Map<string, number>();
atFileEnd(() => checked.clear());

/**
 * The service, whose answers are checked: of each operation and status the first `most` of a test file. `seen` is
 * called for each that was.
 */
export function checkedByOpenApi(
  service: Service,
  { seen, most = Infinity }: { seen?: (operation: string, status: number) => void; most?: number } = {},
): Service {
  return async (request) => {
    const response = await service(request);
    const operation = operationOf(request.method, request.target);
    const body = response.body instanceof Uint8Array ? Buffer.from(response.body).toString() : response.body;
    if (operation === undefined || typeof body !== 'string') return response;
    const name = `${operation.operationId} ${response.status}`;
    const times = checked.get(name) ?? 0;
    if (times >= most) return response;
    checked.set(name, times + 1);
    const fault = faultOf(operation, response.status, body, request.method, response.headers);
    if (fault !== undefined)
      throw new Error(`${request.method} ${request.target} breaks openapi.json: ${fault}`);
    seen?.(operation.operationId, response.status);
    return response;
  };
}

/** Every operation of the interface with the statuses it may have. */
export function documented(): { operation: string; statuses: number[] }[] {
  return Object.entries(paths)
    .filter(([path]) => !path.includes('{signature}'))
    .flatMap(([, methods]) => Object.values(methods))
    .map(({ operationId, responses }) => ({
      operation: operationId,
      statuses: Object.keys(responses).map(Number),
    }));
}

function operationOf(method: string, target: string): Operation | undefined {
  const given = target.replace(/\?.*/s, '').split('/');
  const found = Object.entries(paths).find(([path]) => {
    const parts = path.split('/');
    return (
      parts.length === given.length &&
      parts.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))
    );
  });
  return found?.[1][{ GET: 'get', HEAD: 'get', POST: 'post' }[method] ?? ''];
}

function faultOf(
  { operationId, responses }: Operation,
  status: number,
  body: string,
  method: string,
  headers: Record<string, string>,
): string | undefined {
  const response = responses[status];
  if (response === undefined) return `status ${status} is not documented for ${operationId}`;
  const declared = Object.keys((response as { headers?: object }).headers ?? {});
  const missing = declared.filter((name) => headers[name] === undefined);
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  if (method === 'HEAD') return undefined;
  const name = `${operationId} ${status}`;
  let validator = validators.get(name);
  if (validator === undefined) {
    const responsesHere = { [status]: response } as never;
    validator = new OpenApiResponseValidator({ responses: responsesHere, components: components! });
    validators.set(name, validator);
  }
  const fault = validator.validateResponse(String(status), JSON.parse(body)) as
    { message: string; errors: unknown[] } | undefined;
  return fault && `${fault.message} ${JSON.stringify(fault.errors).slice(0, 500)}`;
}
