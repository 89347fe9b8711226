// The words of a Slack message: its text, and what apps say in attachments and blocks.

/** Deeper blocks are left out. Slack nests at most a few levels. */
const MAX_DEPTH = 16;

/** Returns what a text of a message shows. */
type Decode = (text: string) => string;
const AS_STORED: Decode = (text) => text;

/**
 * Returns the words of a message as exported, or null when it has none. Each attachment begins a new line. `decode` reads the
 * markup of Slack; absent, texts stay as they are.
 */
export function slackText(message: unknown, decode: Decode = AS_STORED): string | null {
  const text = textIn(message, 'text');
  const words = [
    text === null ? blockText(valueIn(message, 'blocks'), 0, decode) : decode(text),
    ...listIn(message, 'attachments').map((card) => cardText(card, decode)),
  ];
  return words.filter((part) => part !== '').join('\n') || null;
}

/** Returns the name of a user or a channel, if it is known. */
type NameOf = (id: string) => string | null | undefined;

/**
 * Returns the words of a message as Slack shows them: mentions by names, links, and `<`, `>`, `&`. `nameOf` knows names that the message
 * itself does not have.
 */
export function shownSlackText(message: unknown, nameOf: NameOf): string | null {
  const author = textIn(message, 'user');
  const profile = valueIn(message, 'user_profile');
  const name = textIn(profile, 'display_name') ?? textIn(profile, 'real_name');
  return slackText(message, (text) =>
    decodeSlackMarkup(text, { nameOf: (id) => (id === author ? name : null) ?? nameOf(id) }),
  );
}

/** Returns the names of `nameOf` that {@link shownSlackText} needs, by id. */
export function mentionsIn(message: unknown, nameOf: NameOf): Map<string, string> {
  const mentions = new Map<string, string>();
  shownSlackText(message, (id) => {
    const name = nameOf(id);
    if (name != null) mentions.set(id, name);
    return name;
  });
  return mentions;
}

/**
 * Returns a text with names in place of `<@U1>`, `<#C1|general>` and `<!here>`, links as `label (address)`, and the characters that Slack
 * escapes. `nameOf` knows users by id. `onlyLabels`: of a link with a label only the label.
 */
export function decodeSlackMarkup(
  text: string,
  { nameOf, onlyLabels = false }: { nameOf: NameOf; onlyLabels?: boolean },
): string {
  return text
    .replace(
      /<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>/g,
      (_, mark: string, target: string, label: string | undefined) => {
        const shown = label === undefined || label === '' ? undefined : label;
        if (mark === '') return onlyLabels ? (shown ?? target) : linkText(target, shown);
        if (mark === '!' && target.startsWith('date^')) return shown ?? target;
        const name = shown?.replace(/^[@#]/, '') ?? nameOf(target) ?? target;
        return `${mark === '#' ? '#' : '@'}${name}`;
      },
    )
    .replace(/&(lt|gt|amp);/g, (_, name: 'lt' | 'gt' | 'amp') => ({ lt: '<', gt: '>', amp: '&' })[name]);
}

/** A label that repeats the address is left out. */
function linkText(address: string, label: string | undefined): string {
  const plain = address.replace(/^(?:mailto:|tel:)/, '');
  if (label === undefined || label === plain) return plain;
  return address.replace(/^https?:\/\//, '').replace(/\/$/, '') === label ? address : `${label} (${plain})`;
}

/** The words of an attachment in the order in which Slack shows them. `fallback` repeats them where there are others. */
function cardText(card: unknown, decode: Decode): string {
  const textOf = (value: unknown, name: string): string[] => {
    const text = textIn(value, name);
    return text === null ? [] : [decode(text)];
  };
  const fields = listIn(card, 'fields').map((field) =>
    ['title', 'value'].flatMap((name) => textOf(field, name)).join(': '),
  );
  const shown = ['pretext', 'author_name', 'title', 'text'].flatMap((name) => textOf(card, name));
  const blocks = [valueIn(card, 'blocks'), valueIn(card, 'message_blocks')].map((list) =>
    blockText(list, 0, decode),
  );
  const words = [...shown, ...fields, ...blocks, ...textOf(card, 'footer')].filter((part) => part !== '');
  return words.length > 0 ? words.join('\n') : textOf(card, 'fallback').join('');
}

/** The texts below a block, in order. */
function blockText(value: unknown, depth: number, decode: Decode): string {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) {
    return value
      .map((part) => blockText(part, depth + 1, decode))
      .filter((part) => part !== '')
      .join('\n');
  }
  const own = textIn(value, 'text');
  // Pieces of rich text have no markup.
  if (own !== null) return ['text', 'link'].includes(textIn(value, 'type') ?? '') ? own : decode(own);
  const mention = mentionIn(value);
  if (mention !== null) return decode(mention);
  return ['title', 'text', 'fields', 'elements', 'message', 'blocks']
    .map((name) => blockText(valueIn(value, name), depth + 1, decode))
    .filter((part) => part !== '')
    .join('\n');
}

/** Returns a mention in rich text as the markup of other texts. */
function mentionIn(piece: object): string | null {
  const [user, channel, range] = ['user_id', 'channel_id', 'range'].map((name) => textIn(piece, name));
  switch (textIn(piece, 'type')) {
    case 'user':
      return user == null ? null : `<@${user}>`;
    case 'channel':
      return channel == null ? null : `<#${channel}>`;
    case 'broadcast':
      return range == null ? null : `<!${range}>`;
    default:
      return null;
  }
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
