// Joins the lines of text with format=flowed (RFC 3676) to paragraphs.

/** The line before a signature. Its final blank does not mean that the line goes on. */
const SIGNATURE_DELIMITER = '-- ';

/**
 * Returns the text with each paragraph on one line, behind one `>` for each level of quotation and a blank. `delSp`: the blank
 * at the end of a line is no part of the text (parameter DelSp=yes). Takes time linear in the text.
 */
export function joinFlowedLines(text: string, delSp: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let depth = 0;
  const end = (): void => {
    if (paragraph.length === 0) return;
    out.push((depth === 0 ? '' : `${'>'.repeat(depth)} `) + paragraph.join(''));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const quoted = quoteMarks(line);
    const stuffed = line[quoted] === ' ' ? quoted + 1 : quoted;
    // Text that begins with `>` keeps its blank, so that it does not read as a quotation.
    const content = line.slice(quoted === 0 && line[stuffed] === '>' ? quoted : stuffed);
    if (paragraph.length > 0 && (quoted !== depth || content === SIGNATURE_DELIMITER)) end();
    depth = quoted;
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE_DELIMITER;
    paragraph.push(isFlowed && delSp ? content.slice(0, -1) : content);
    if (!isFlowed) end();
  }
  end();
  return out.join('\n');
}

function quoteMarks(line: string): number {
  let count = 0;
  while (line[count] === '>') count += 1;
  return count;
}
