// Builds the JSON Schema (2020-12) of every record and report, each field of a record marked as documented or assumed.
import * as z from 'zod';
import { DOCUMENTED_FIELDS } from './documented.ts';
import { RECORDS, REPORTS } from './schema-list.ts';

/** A JSON Schema. Of its fields only `properties` is read here. */
export type JsonSchema = { [key: string]: unknown; properties?: Record<string, JsonSchema> };

/** Returns the schemas of all records. `uri` maps a record's name to the reference that other schemas use for it. */
export function recordSchemas(uri: (name: string) => string): Record<string, JsonSchema> {
  return marked(referring(RECORDS, uri));
}

/** Returns all schemas by file name, e.g. `attachment-list.json`. They refer to one another by file name. */
export function buildSchemas(): Record<string, JsonSchema> {
  const uri = (name: string) => `${kebab(name)}.json`;
  const all = { ...recordSchemas(uri), ...referring(REPORTS, uri) };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [
      uri(name),
      { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: uri(name), title: name, ...schema },
    ]),
  );
}

function referring(schemas: Record<string, z.ZodType>, uri: (name: string) => string) {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  // `input` describes what may be sent. Parsed output would lack the unknown fields, which are allowed everywhere.
  const { schemas: made } = z.toJSONSchema(registry, { uri, io: 'input' });
  return Object.fromEntries(
    Object.entries(made).map(([name, schema]) => {
      const kept = Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id');
      return [name, Object.fromEntries(kept)];
    }),
  );
}

function marked(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    for (const [field, property] of Object.entries(properties)) {
      property['x-arx-origin'] = originOf(DOCUMENTED_FIELDS[name]?.includes(field));
    }
  }
  return schemas;
}

/** Returns the value of `x-arx-origin` for something that is or is not in the interface. */
export function originOf(documented: boolean | undefined): 'documented' | 'assumption' {
  return documented === true ? 'documented' : 'assumption';
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
