// Folders as `conversations walk --freeze DIR` writes them, made without a walk.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordCompletion } from '../../src/walk/log/completion.ts';
import { FIRST_PREVIOUS, freezeWindow, type WindowCost } from '../../src/walk/log/window.ts';

export type FolderOptions = {
  /** Rows in one window. */
  per?: number;
  base_url?: string;
  list?: string;
  tier?: string;
  after?: string | null;
  before?: string | null;
  /** Whether there is a record that the walk reached the end, and its late rows. */
  end?: boolean;
  late?: string[];
  cost?: (window: number) => WindowCost;
};

/** Writes the folder. A row may be an id, or an id and its content after a colon: `conv_1:changed`. */
export async function freezeInto(
  dir: string,
  rows: readonly (string | { id: string; [field: string]: unknown })[],
  options: FolderOptions = {},
): Promise<void> {
  const { per = 2, base_url = 'https://archive.example', after = null, before = null } = options;
  const cost = options.cost ?? (() => ({ reads: 2, disagreements: 0, drift_ratio: null }));
  let head = FIRST_PREVIOUS;
  let last = after;
  let lines = '';
  let text = '';
  for (let at = 0, number = 1; at < rows.length; at += per, number++) {
    const part = rows.slice(at, at + per).map((row) => {
      if (typeof row !== 'string') return row;
      const [id = '', content = ''] = row.split(':');
      return { id, content };
    });
    const window = freezeWindow(number, last, part, cost(number), head);
    lines += `${window.line}\n`;
    text += window.rowsText;
    head = window.head;
    last = part.at(-1)?.id ?? null;
  }
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'windows.ndjson'), lines);
  await writeFile(join(dir, 'rows.ndjson'), text);
  await writeFile(
    join(dir, 'walk.json'),
    `${JSON.stringify({ version: 1, base_url, list: options.list, tier: options.tier, after, before })}\n`,
  );
  if (options.end === false) return;
  await recordCompletion(dir, {
    head: rows.length === 0 ? null : head,
    finished_at: '2026-01-02T03:04:05.678Z',
    late: options.late ?? [],
  });
}
