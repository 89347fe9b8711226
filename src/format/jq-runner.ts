// Runs a jq program over JSON texts: jq itself, compiled to WebAssembly, with at most 256 MiB of memory.

/** What jq printed: a line of JSON for each result, and its messages. */
export type JqRun = { stdout: string; stderr: string; exitCode: number };

/** What a thread that runs jq is given. */
export type JqWorkerOptions = { program: string };

/** Returns a function that runs the program over the JSON texts of a string. It never rejects: a failure is a message of jq. */
export function createJqRunner({ program }: JqWorkerOptions): (json: string) => Promise<JqRun> {
  // With jq.wasm inside, so that no second file has to be found.
  const loading = import('jq-wasm/inline').then(({ loadJq }) => loadJq());
  // Else jq would take it for an option.
  const expression = program.startsWith('-') ? ` ${program}` : program;
  return async (json) => {
    const jq = await loading;
    try {
      return jq.raw(json, expression, ['-c']);
    } catch {
      return { stdout: '', stderr: 'jq: error: more memory is needed than 256 MiB', exitCode: 5 };
    }
  };
}
