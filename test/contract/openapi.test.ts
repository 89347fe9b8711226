import { describe, expect, test } from 'vitest';
import { DOCUMENTED_FIELDS } from '../../src/contract/documented.ts';
import { ERROR_STATUS } from '../../src/contract/error.ts';
import { buildOpenApi } from '../../src/contract/openapi.ts';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { PAGE_LIMIT } from '../../src/contract/scalars.ts';
import { ROUTES, type Route, type RouteName } from '../../src/contract/routes.ts';
import { buildSchemas } from '../../src/contract/schemas.ts';
import { SCOPES } from '../../src/contract/tier.ts';

type Json = { [key: string]: Json };
const document = buildOpenApi('1.2.3') as unknown as Json;
const names = Object.keys(ROUTES) as RouteName[];
const operationOf = (name: RouteName) =>
  (document['paths'] as Json)[ROUTES[name].path]![ROUTES[name].method.toLowerCase()] as any;

/** Every object in the document with its path. */
function* objects(value: unknown, path = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value))
    yield* objects(inner, `${path}/${key.replaceAll('/', '~1')}`);
}

test('it is OpenAPI 3.1 of this version, and plain JSON', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Archive service', version: '1.2.3' } });
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

test('every reference leads to something', () => {
  let seen = 0;
  for (const [path, object] of objects(document)) {
    if (typeof object['$ref'] !== 'string') continue;
    seen++;
    const target = object['$ref']
      .replace(/^#\//, '')
      .split('/')
      .reduce<any>((at, key) => at?.[key], document);
    expect(target, `${path} → ${object['$ref']}`).toBeDefined();
  }
  expect(seen).toBeGreaterThan(100);
});

test('operation ids are unique, and no operation lacks a response', () => {
  const operations = [...objects(document)].filter(([, object]) => 'operationId' in object);
  const ids = operations.map(([, object]) => object['operationId']);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids)).toEqual(new Set([...names, 'file', 'stored_message']));
  for (const [, { responses }] of operations) {
    for (const [status, response] of Object.entries(responses as Json)) {
      expect(status).toMatch(/^[2-5]\d\d$/);
      expect((response as any).description).toMatch(/./);
    }
  }
});

describe.each(names)('%s', (name) => {
  const route: Route = ROUTES[name];
  const operation = operationOf(name);

  test('path parameters are those of the path', () => {
    const declared = operation.parameters.filter((p: any) => p.in === 'path').map((p: any) => p.name);
    expect(declared).toEqual(Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, parameter]) => parameter));
  });
  test('query parameters are those of the table', () => {
    const declared = operation.parameters.filter((p: any) => p.in === 'query').map((p: any) => p.name);
    expect(declared).toEqual(Object.keys(PARAMETERS[name].shape));
    for (const parameter of operation.parameters) expect(parameter.schema).toBeTypeOf('object');
  });
  test('security is its scope', () => {
    const signed = name === 'ingest' ? [{ signature: [] }] : [];
    expect(operation.security).toEqual(route.scope === null ? [] : [{ bearer: [route.scope] }, ...signed]);
  });
  test('the origin is said', () => {
    expect(operation['x-arx-origin']).toBe(route.source === 'ours' ? 'assumption' : 'documented');
    expect(operation['x-arx-section']).toBe(route.source === 'ours' ? undefined : route.source);
  });
  test('error codes stand under their status', () => {
    for (const [status, response] of Object.entries<any>(operation.responses)) {
      for (const code of Object.keys(response['x-arx-codes'] ?? {})) {
        expect(ERROR_STATUS[code as keyof typeof ERROR_STATUS]).toBe(Number(status));
      }
      if (Number(status) >= 400) expect(Object.keys(response['x-arx-codes'])).not.toEqual([]);
    }
    expect('401' in operation.responses).toBe(route.scope !== null);
  });
});

test('every code that a route can answer with is in the document', () => {
  const codes = new Set(
    [...objects(document)].flatMap(([, object]) => Object.keys(object['x-arx-codes'] ?? {})),
  );
  // Belongs to a path, not to one of its operations.
  codes.add('method_not_allowed');
  expect(codes).toEqual(new Set(Object.keys(ERROR_STATUS)));
});

test('what the interface shows is marked so, and only that', () => {
  const origin = (name: RouteName, parameter: string) =>
    operationOf(name).parameters.find((p: any) => p.name === parameter)['x-arx-origin'];
  expect(origin('attachments', 'origin_city')).toBe('documented');
  expect(origin('attachments', 'starting_after')).toBe('assumption');
  expect(origin('conversations', 'starting_after')).toBe('documented');
  expect(operationOf('attachments').responses[206]['x-arx-origin']).toBe('documented');
  expect(operationOf('conversations').responses[409]['x-arx-codes'].sequence_conflict).toBe('documented');
  expect(operationOf('attachments').responses[409]['x-arx-codes'].sequence_conflict).toBe('assumption');
  const schemas = document['components']!['schemas'] as any;
  expect(schemas.Attachment.properties.sha256['x-arx-origin']).toBe('documented');
  expect(schemas.Attachment.properties.bytes['x-arx-origin']).toBe('assumption');
  for (const [name, fields] of Object.entries(DOCUMENTED_FIELDS)) {
    expect(Object.keys(schemas[name].properties), name).toEqual(expect.arrayContaining([...fields]));
  }
});

test('bounds of the code are those of the document', () => {
  const limit = operationOf('conversations').parameters.find((p: any) => p.name === 'limit');
  expect(limit.schema).toEqual({ type: 'integer', minimum: PAGE_LIMIT.minimum, maximum: PAGE_LIMIT.maximum });
  for (const scope of SCOPES) {
    expect((document['components'] as any).securitySchemes.bearer.description).toContain(scope);
  }
});

describe('JSON schemas', () => {
  const schemas = buildSchemas();
  test('each is named by its file and refers to files there are', () => {
    for (const [file, schema] of Object.entries(schemas)) {
      expect(schema['$id']).toBe(file);
      expect(file).toMatch(/^[a-z]+(-[a-z]+)*\.json$/);
      for (const [, object] of objects(schema)) {
        if (typeof object['$ref'] === 'string') expect(Object.keys(schemas)).toContain(object['$ref']);
      }
    }
  });
  test('unknown fields are allowed everywhere: changes only ever add', () => {
    for (const [file, schema] of Object.entries(schemas)) {
      for (const [path, object] of objects(schema)) {
        expect(object['additionalProperties'], `${file} ${path}`).not.toBe(false);
      }
    }
  });
});
