// A strict HTML reader: it accepts only known markup, and every element must be closed in its place.

export type Element = { name: string; attributes: Record<string, string>; text: string };

const TAG = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const TEXT = /[^<]+/y;
const DOCTYPE = /<!doctype html>\n/y;
const ENTITY = /&(?:amp|lt|gt|quot|#39);/g;

/** All elements in the order of their ends; throws where the document is not well-formed. `text` is of the element alone. */
export function elementsOf(document: string): Element[] {
  const done: Element[] = [];
  const open: Element[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(document) ?? undefined;
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  take(DOCTYPE);
  while (at < document.length) {
    const text = take(TEXT)?.[0];
    if (text !== undefined) {
      const parent = open.at(-1);
      if (parent !== undefined) parent.text += decoded(text);
      else if (text.trim() !== '') throw new Error(`text outside of the document: ${text}`);
      continue;
    }
    const tag = take(TAG);
    if (tag === undefined) throw new Error(`no markup: ${document.slice(at, at + 60)}`);
    const [, isEnd, name = '', attributes = '', isEmpty] = tag;
    if (isEnd === '') open.push({ name, attributes: attributesOf(attributes), text: '' });
    if (isEnd === '' && isEmpty === '') continue;
    const element = open.pop();
    if (element?.name !== name) throw new Error(`</${name}> closes ${element?.name}`);
    done.push(element);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.map(({ name }) => name).join()}`);
  return done;
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (Object.hasOwn(found, name)) throw new Error(`${name} twice`);
    found[name] = decoded(value);
  }
  return found;
}

function decoded(text: string): string {
  if (text.replaceAll(ENTITY, '').includes('&')) throw new Error(`a bare ampersand: ${text}`);
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replaceAll(/&([^;]+);/g, (_, name: string) => characters[name] ?? '');
}
