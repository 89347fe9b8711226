// The form of a transcript: `$ arx …`, then `| ` stdout, `! ` stderr, `= exit code`; `< ` stdin, `# ` remarks.

export type Step = {
  remarks: string[];
  /** As written after `$ `, the leading `arx` included. */
  line: string;
  /** Columns of a terminal, from `$80 arx …`; undefined for pipes. */
  columns: number | undefined;
  stdin: string;
  stdout: string;
  stderr: string;
  exit: number;
};

export function parseTranscript(text: string): Step[] {
  const steps: Step[] = [];
  let remarks: string[] = [];
  for (const line of text.split('\n')) {
    const command = /^\$(\d*) (arx.*)$/.exec(line);
    const step = steps.at(-1);
    if (line.startsWith('#')) remarks.push(line);
    else if (command !== null) {
      const columns = command[1] === '' ? undefined : Number(command[1]);
      steps.push({ remarks, line: command[2] ?? '', columns, stdin: '', stdout: '', stderr: '', exit: 0 });
      remarks = [];
    } else if (step === undefined || line === '') continue;
    else if (line.startsWith('<')) step.stdin += `${line.slice(2)}\n`;
    else if (line.startsWith('|')) step.stdout += `${line.slice(2)}\n`;
    else if (line.startsWith('!')) step.stderr += `${line.slice(2)}\n`;
    else if (line.startsWith('= ')) step.exit = Number(line.slice(2));
    else throw new Error(`not a line of a transcript: ${line}`);
  }
  return steps;
}

export function formatTranscript(steps: readonly Step[]): string {
  const block = (mark: string, text: string) =>
    text === ''
      ? ''
      : `${text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${mark} ${line}`.trimEnd())
          .join('\n')}\n`;
  return steps
    .map(({ remarks, line, columns, stdin, stdout, stderr, exit }) =>
      [
        remarks.map((remark) => `${remark}\n`).join(''),
        `$${columns ?? ''} ${line}\n`,
        block('<', stdin),
        block('|', stdout),
        block('!', stderr),
        `= ${exit}\n`,
      ].join(''),
    )
    .join('\n');
}

/** Words of a command line with single and double quotes, as a shell would give them. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** A command line shown in a document, and the lines below it. */
export type ShownStep = { line: string; shown: string[] };

/** Returns the steps of all `console` blocks of a Markdown document, in order. */
export function consoleSteps(markdown: string): ShownStep[] {
  const steps: ShownStep[] = [];
  for (const [, block = ''] of markdown.matchAll(/```console\n([^]*?)```/g)) {
    for (const line of block.split('\n')) {
      if (line.startsWith('$ ')) steps.push({ line: line.slice(2), shown: [] });
      else if (line.trim() !== '') steps.at(-1)?.shown.push(line);
    }
  }
  return steps;
}

/** Whether the lines that were printed are those shown, where `…` stands for any number of lines. */
export function matchesShown(printed: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first !== '…') return printed[0] === first && matchesShown(printed.slice(1), rest);
  return Array.from({ length: printed.length + 1 }).some((_, skipped) =>
    matchesShown(printed.slice(skipped), rest),
  );
}
