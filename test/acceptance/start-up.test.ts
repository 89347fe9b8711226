import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Returns the files that a program which only imports these has loaded before its first line of output, and all that it may load. */
async function inputsOf(entries: readonly string[]): Promise<{ eager: string[]; all: string[] }> {
  const { metafile } = await build({
    entryPoints: [...entries],
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    loader: { '.md': 'text' },
    external: ['@napi-rs/keyring'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const outputsOf = (output: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(output)) return seen;
    seen.add(output);
    for (const { path, kind } of metafile.outputs[output]?.imports ?? [])
      if (kind === 'import-statement') outputsOf(path, seen);
    return seen;
  };
  const eager = entries.flatMap((entry) => {
    const output =
      Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? '';
    return [...outputsOf(output)].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  });
  return { eager, all: Object.keys(metafile.inputs) };
}

test('what prints loads neither tables nor colours nor schemas nor a network before it needs them', async () => {
  const { eager, all } = await inputsOf([
    'src/format/printer.ts',
    'src/format/views/index.ts',
    'src/format/fault-report.ts',
    'src/format/terminal/progress.ts',
    'src/format/terminal/capabilities.ts',
  ]);
  expect(eager).toContain('src/format/printer.ts');
  expect(
    eager.filter((input) => /node_modules\/(chalk|cli-table3|zod|undici|commander|conf)\//.test(input)),
  ).toStrictEqual([]);
  expect(all.some((input) => input.includes('node_modules/cli-table3'))).toBe(true);
});

// Each schema that is made, and each module that is loaded, takes part of every start.
test('a list of attachments of the local archive loads nothing of searches, sent events, messages and administration', async () => {
  const late = [
    'src/contract/search/search.ts',
    'src/contract/ingest.ts',
    'src/contract/content.ts',
    'src/commands/search.ts',
    'src/service/administration.ts',
    'src/service/handlers/events.ts',
    'src/service/store/event-worker.ts',
    'src/service/store/events/group-commit.ts',
    'src/service/store/archives.ts',
    'src/service/store/backup.ts',
  ];
  const { eager, all } = await inputsOf([
    'src/main.ts',
    'src/program.ts',
    'src/wiring/create-app.ts',
    'src/commands/attachments/ls.ts',
    'src/client/index.ts',
    'src/service/index.ts',
    'src/service/handlers/attachments.ts',
  ]);
  expect(late.filter((path) => !all.includes(path))).toStrictEqual([]);
  expect(late.filter((path) => eager.includes(path))).toStrictEqual([]);
});
