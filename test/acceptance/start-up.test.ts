import { build } from 'esbuild';
import { expect, test } from 'vitest';

// What a program that only imports these has loaded before its first line of output.
test.each([
  [
    'src/format/printer.ts',
    'src/format/views/index.ts',
    'src/format/fault-report.ts',
    'src/format/terminal/progress.ts',
    'src/format/terminal/capabilities.ts',
  ],
])(
  '%s loads neither tables nor colours nor schemas nor a network before it needs them',
  async (...entries) => {
    const { metafile } = await build({
      entryPoints: entries,
      outdir: 'out',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    const eager = (output: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(output)) return seen;
      seen.add(output);
      for (const { path, kind } of metafile.outputs[output]?.imports ?? [])
        if (kind === 'import-statement') eager(path, seen);
      return seen;
    };
    const inputs = entries.flatMap((entry) => {
      const output =
        Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? '';
      return [...eager(output)].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    });
    expect(inputs).toContain('src/format/printer.ts');
    expect(
      inputs.filter((input) => /node_modules\/(chalk|cli-table3|zod|undici|commander|conf)\//.test(input)),
    ).toStrictEqual([]);
    expect(Object.keys(metafile.inputs).some((input) => input.includes('node_modules/cli-table3'))).toBe(
      true,
    );
  },
);
