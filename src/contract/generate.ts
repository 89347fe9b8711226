// The committed files that are generated from the contract: the OpenAPI document, the JSON schemas and the README of the interface.
import manifest from '../../package.json' with { type: 'json' };
import { buildOpenApi } from './openapi.ts';
import { contractReadme } from './readme.ts';
import { buildSchemas } from './schemas.ts';

/** Returns the generated files as path → text. Paths are relative to the root of the repository. */
export function generate(): Record<string, string> {
  const files: Record<string, string> = {
    'src/contract/openapi.json': text(buildOpenApi(manifest.version)),
    'src/contract/README.md': contractReadme(),
  };
  for (const [name, schema] of Object.entries(buildSchemas()))
    files[`src/contract/schemas/${name}`] = text(schema);
  return files;
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
