// Work that is due when all tests of a file are over. Test files share a process, so modules live longer than a file.

const due: (() => void)[] = [];

/** Calls `work` at the end of each test file from now on (`setup.ts`). Outside of the test runner nothing is called. */
export function atFileEnd(work: () => void): void {
  due.push(work);
}

/** Does what is due. */
export function endFile(): void {
  for (const work of due) work();
}
