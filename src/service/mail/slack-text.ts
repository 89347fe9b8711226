// The words of a Slack message: its text, and what apps say in attachments and blocks.

/** Deeper blocks are left out. Slack nests at most a few levels. */
const MAX_DEPTH = 16;

/** Returns the words of a message as exported, or null when it has none. Each attachment begins a new line. */
export function slackText(message: unknown): string | null {
  const text = textIn(message, 'text');
  const words = [
    text ?? blockText(valueIn(message, 'blocks'), 0),
    ...listIn(message, 'attachments').map(cardText),
  ];
  return words.filter((part) => part !== '').join('\n') || null;
}

/** The words of an attachment in the order in which Slack shows them. `fallback` repeats them where there are others. */
function cardText(card: unknown): string {
  const fields = listIn(card, 'fields').map((field) =>
    ['title', 'value'].flatMap((name) => textIn(field, name) ?? []).join(': '),
  );
  const shown = ['pretext', 'author_name', 'title', 'text'].flatMap((name) => textIn(card, name) ?? []);
  const blocks = [valueIn(card, 'blocks'), valueIn(card, 'message_blocks')].map((list) => blockText(list, 0));
  const words = [...shown, ...fields, ...blocks, textIn(card, 'footer') ?? ''].filter((part) => part !== '');
  return words.length > 0 ? words.join('\n') : (textIn(card, 'fallback') ?? '');
}

/** The texts below a block, in order. */
function blockText(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) {
    return value
      .map((part) => blockText(part, depth + 1))
      .filter((part) => part !== '')
      .join('\n');
  }
  const own = textIn(value, 'text');
  if (own !== null) return own;
  return ['title', 'text', 'fields', 'elements', 'message', 'blocks']
    .map((name) => blockText(valueIn(value, name), depth + 1))
    .filter((part) => part !== '')
    .join('\n');
}

function valueIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textIn(value: unknown, name: string): string | null {
  const found = valueIn(value, name);
  return typeof found === 'string' && found !== '' ? found : null;
}

function listIn(value: unknown, name: string): unknown[] {
  const found = valueIn(value, name);
  return Array.isArray(found) ? (found as unknown[]) : [];
}
