// Turns the bytes that a terminal sends into keys.

/** A key that was pressed. `text`: what it types, or the pasted text. `row`: where the mouse was, from 0. */
export type Key = { name: string; text?: string; row?: number };

/** A parser of the bytes of one terminal. */
export type KeyParser = {
  /** Returns the keys that are complete. A chunk may hold many, or a part of one. */
  feed(bytes: Uint8Array): Key[];
  /** Returns what an unfinished sequence means if nothing follows: the key Escape. */
  flush(): Key[];
  /** Whether a sequence is unfinished. */
  isWaiting(): boolean;
};

const ESCAPE = '\u001b';
const PASTE_END = '\u001b[201~';
/** Longer sequences are no keys. */
const MAX_SEQUENCE_LENGTH = 32;
/** More is dropped from a paste: it is typed into one line. */
const MAX_PASTE_LENGTH = 10_000;

/** Final letters of CSI and SS3 sequences. */
const LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  M: 'enter',
  Z: 'shift-tab',
};
/** Numbers of sequences that end with `~`. */
const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};
const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
};

/** Returns a parser. Sequences that are not known give no key. */
export function createKeyParser(): KeyParser {
  const decoder = new TextDecoder();
  let held = '';
  let pasted: string | undefined;

  function next(): Key | 'unfinished' | 'nothing' {
    if (pasted !== undefined) return pastedKey();
    if (!held.startsWith(ESCAPE)) {
      const [character = ''] = held;
      held = held.slice(character.length);
      return typed(character);
    }
    const sequence = /^(?:\[[0-?]*[ -/]*[@-~]|O[@-~])/.exec(held.slice(1))?.[0];
    if (sequence !== undefined) {
      held = held.slice(1 + sequence.length);
      if (sequence === '[200~') {
        pasted = '';
        return 'nothing';
      }
      return sequenceKey(sequence) ?? 'nothing';
    }
    const isUnfinished = /^(?:\[[0-?]*[ -/]*|O)?$/.test(held.slice(1)) && held.length < MAX_SEQUENCE_LENGTH;
    if (isUnfinished) return 'unfinished';
    // Escape, or Alt with a key: what follows is a key of its own.
    held = held.slice(1);
    return { name: 'escape' };
  }

  function pastedKey(): Key | 'unfinished' {
    const end = held.indexOf(PASTE_END);
    // The end itself may be cut.
    const taken = end >= 0 ? end : Math.max(0, held.length - PASTE_END.length);
    pasted = (pasted + held.slice(0, taken)).slice(0, MAX_PASTE_LENGTH);
    held = held.slice(end >= 0 ? end + PASTE_END.length : taken);
    if (end < 0) return 'unfinished';
    const text = pasted.replaceAll(/\s+/g, ' ');
    pasted = undefined;
    return { name: 'paste', text };
  }

  function drain(): Key[] {
    const keys: Key[] = [];
    while (held !== '') {
      const key = next();
      if (key === 'unfinished') break;
      if (key !== 'nothing') keys.push(key);
    }
    return keys;
  }

  return {
    feed(bytes) {
      held += decoder.decode(bytes, { stream: true });
      return drain();
    },
    flush() {
      if (pasted !== undefined || !held.startsWith(ESCAPE)) return [];
      held = held.slice(1);
      return [{ name: 'escape' }, ...drain()];
    },
    isWaiting: () => pasted === undefined && held !== '',
  };
}

function typed(character: string): Key {
  const control = CONTROLS[character];
  if (control !== undefined) return { name: control };
  const code = character.codePointAt(0) ?? 0;
  if (code === 0) return { name: 'ctrl-space' };
  if (code < 0x20) return { name: `ctrl-${String.fromCodePoint(code + 0x60)}` };
  return { name: character, text: character };
}

/** `sequence`: what follows Escape. */
function sequenceKey(sequence: string): Key | undefined {
  const last = sequence.at(-1) ?? '';
  const mouse = /^\[<(\d+);(\d+);(\d+)([Mm])$/.exec(sequence);
  if (mouse !== null) return mouseKey(Number(mouse[1]), Number(mouse[3]) - 1, mouse[4] === 'M');
  const number = /^\[(\d+)(?:;\d+)?~$/.exec(sequence)?.[1];
  const name = number === undefined ? LETTERS[last] : NUMBERS[number];
  return name === undefined ? undefined : { name };
}

function mouseKey(button: number, row: number, isPressed: boolean): Key | undefined {
  if (button === 64) return { name: 'wheel-up' };
  if (button === 65) return { name: 'wheel-down' };
  return button === 0 && isPressed ? { name: 'click', row } : undefined;
}
