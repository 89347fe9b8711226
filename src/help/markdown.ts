// Reads the subset of Markdown that the help topics are written in.

/** A part of a topic. `text` still has its inline marks: `code`, **bold** and [links](address). */
export type Block =
  | { kind: 'title'; text: string }
  | { kind: 'section'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'item'; text: string }
  | { kind: 'definition'; term: string; text: string }
  | { kind: 'code'; lines: string[] };

/**
 * Returns the blocks of a topic: headings (`#`, `##`), paragraphs, list items (`- `), definitions (`` - `term`: text ``
 * or `- **term**: text`, also of several terms) and fenced code. Everything else is a paragraph.
 */
export function parseMarkdown(source: string): Block[] {
  const blocks: Block[] = [];
  let open: { text: string } | undefined;
  let code: string[] | undefined;
  for (const line of source.split('\n')) {
    if (line.startsWith('```')) {
      if (code === undefined) blocks.push({ kind: 'code', lines: (code = []) });
      else code = undefined;
      open = undefined;
    } else if (code !== undefined) code.push(line);
    else if (line.trim() === '') open = undefined;
    else if (open !== undefined && !/^(#|- )/.test(line)) open.text += ` ${line.trim()}`;
    else {
      const block = blockOf(line);
      blocks.push(block);
      open = block.kind === 'code' || block.kind === 'title' || block.kind === 'section' ? undefined : block;
    }
  }
  return blocks;
}

function blockOf(line: string): Block {
  if (line.startsWith('## ')) return { kind: 'section', text: line.slice(3) };
  if (line.startsWith('# ')) return { kind: 'title', text: line.slice(2) };
  const definition = /^- ((?:`[^`]+`|\*\*[^*]+\*\*)(?:,? (?:`[^`]+`|\*\*[^*]+\*\*))*): (.*)$/.exec(line);
  if (definition !== null)
    return { kind: 'definition', term: definition[1] ?? '', text: definition[2] ?? '' };
  return line.startsWith('- ')
    ? { kind: 'item', text: line.slice(2) }
    : { kind: 'paragraph', text: line.trim() };
}

/** A piece of inline text. */
export type Span = { style: 'plain' | 'code' | 'bold'; text: string };

/** Returns the pieces of inline text. A link becomes its text and, where that differs, its address in brackets. */
export function spansOf(text: string): Span[] {
  const flat = text.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 ($2)');
  return flat
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`')) return { style: 'code', text: part.slice(1, -1) };
      return part.startsWith('**')
        ? { style: 'bold', text: part.slice(2, -2) }
        : { style: 'plain', text: part };
    });
}
