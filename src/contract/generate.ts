// What is derived from the contract and committed, as path → text: the OpenAPI document and the JSON schemas.
import manifest from '../../package.json' with { type: 'json' };
import { buildOpenApi } from './openapi.ts';
import { buildSchemas } from './schemas.ts';

/** Paths are relative to the root of the repository. */
export function generate(): Record<string, string> {
  const files: Record<string, string> = { 'src/contract/openapi.json': text(buildOpenApi(manifest.version)) };
  for (const [name, schema] of Object.entries(buildSchemas()))
    files[`src/contract/schemas/${name}`] = text(schema);
  return files;
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
