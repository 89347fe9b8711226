// The keys of the explorer and what they do. Help and the line of keys are made from this list.

/** What a key does. */
export type Action =
  | 'down'
  | 'up'
  | 'pageDown'
  | 'pageUp'
  | 'halfDown'
  | 'halfUp'
  | 'first'
  | 'last'
  | 'enter'
  | 'back'
  | 'leave'
  | 'quit'
  | 'nextSibling'
  | 'previousSibling'
  | 'filter'
  | 'nextMatch'
  | 'previousMatch'
  | 'search'
  | 'order'
  | 'files'
  | 'thread'
  | 'open'
  | 'pull'
  | 'pullAll'
  | 'verify'
  | 'copy'
  | 'copyScreen'
  | 'quotes'
  | 'headers'
  | 'lore'
  | 'reload'
  | 'redraw'
  | 'mouse'
  | 'suspend'
  | 'help'
  | 'notices';

/** Keys of one action. `shown` is how help names them, `what` what they do. */
export type Binding = { action: Action; keys: readonly string[]; shown: string; what: string };

/** All keys by subject, in the order of help. */
export const BINDINGS: Readonly<Record<string, readonly Binding[]>> = {
  Move: [
    { action: 'down', keys: ['j', 'down', 'ctrl-n', 'wheel-down'], shown: 'j ↓', what: 'down' },
    { action: 'up', keys: ['k', 'up', 'ctrl-p', 'wheel-up'], shown: 'k ↑', what: 'up' },
    { action: 'pageDown', keys: [' ', 'pagedown', 'ctrl-f'], shown: 'Space PgDn', what: 'a page down' },
    { action: 'pageUp', keys: ['b', 'pageup', 'ctrl-b'], shown: 'b PgUp', what: 'a page up' },
    { action: 'halfDown', keys: ['ctrl-d'], shown: 'Ctrl-D', what: 'half a page down' },
    { action: 'halfUp', keys: ['ctrl-u'], shown: 'Ctrl-U', what: 'half a page up' },
    { action: 'first', keys: ['g', 'home'], shown: 'g Home', what: 'to the beginning' },
    { action: 'last', keys: ['G', 'end'], shown: 'G End', what: 'to the end' },
  ],
  'Go to': [
    {
      action: 'enter',
      keys: ['enter', 'l', 'right', 'click'],
      shown: 'Enter l →',
      what: 'show what is chosen',
    },
    { action: 'back', keys: ['escape', 'h', 'left', 'backspace'], shown: 'Esc h ←', what: 'back' },
    { action: 'leave', keys: ['q'], shown: 'q', what: 'back; at the first screen, quit' },
    {
      action: 'nextSibling',
      keys: ['J', 'tab'],
      shown: 'J Tab',
      what: 'the next message or file of the list',
    },
    { action: 'previousSibling', keys: ['K', 'shift-tab'], shown: 'K', what: 'the one before' },
    { action: 'files', keys: ['f'], shown: 'f', what: 'files of the message or of the archive' },
    { action: 'thread', keys: ['t'], shown: 't', what: 'the conversation of the message' },
  ],
  Find: [
    { action: 'filter', keys: ['/'], shown: '/', what: 'only rows with this text; in a message, find it' },
    { action: 'nextMatch', keys: ['n'], shown: 'n', what: 'the next place found in a message, or row' },
    { action: 'previousMatch', keys: ['N'], shown: 'N', what: 'the place found before' },
    {
      action: 'order',
      keys: ['S'],
      shown: 'S',
      what: 'conversations by last message, by length, as listed',
    },
    { action: 'search', keys: ['s'], shown: 's', what: 'search all messages (arx help queries)' },
  ],
  Message: [
    { action: 'quotes', keys: ['Q'], shown: 'Q', what: 'fold or show long quotations' },
    { action: 'headers', keys: ['H'], shown: 'H', what: 'every header line' },
    { action: 'lore', keys: ['L'], shown: 'L', what: 'what the archive says about the message' },
  ],
  Do: [
    { action: 'verify', keys: ['v'], shown: 'v', what: 'compare the bytes of the file with its hash' },
    { action: 'pull', keys: ['p'], shown: 'p', what: 'download the file' },
    { action: 'pullAll', keys: ['P'], shown: 'P', what: 'download the files that the list shows' },
    { action: 'open', keys: ['o'], shown: 'o', what: 'open it in the default program' },
    { action: 'copy', keys: ['y'], shown: 'y', what: 'copy the arx command for what is chosen' },
    { action: 'copyScreen', keys: ['Y'], shown: 'Y', what: 'copy the arx command that prints this screen' },
  ],
  Explorer: [
    { action: 'reload', keys: ['r'], shown: 'r', what: 'read again' },
    { action: 'redraw', keys: ['ctrl-l'], shown: 'Ctrl-L', what: 'draw again' },
    { action: 'mouse', keys: ['m'], shown: 'm', what: 'mouse on or off' },
    { action: 'help', keys: ['?'], shown: '?', what: 'this help' },
    {
      action: 'notices',
      keys: ['!'],
      shown: '!',
      what: 'what the last line said, in full, and results of commands',
    },
    { action: 'suspend', keys: ['ctrl-z'], shown: 'Ctrl-Z', what: 'back to the shell; fg returns' },
    { action: 'quit', keys: ['ctrl-c', 'ctrl-q'], shown: 'Ctrl-C', what: 'quit' },
  ],
};

const ACTIONS: ReadonlyMap<string, Action> = new Map(
  Object.values(BINDINGS).flatMap((list) =>
    list.flatMap(({ action, keys }) => keys.map((key) => [key, action] as const)),
  ),
);

/** Returns what a key does. */
export function actionOf(key: string): Action | undefined {
  return ACTIONS.get(key);
}
