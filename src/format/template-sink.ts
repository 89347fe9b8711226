// The stream between the printer and stdout with `--template`: records go in as lines of JSON, a line of text for each comes out.
import Mustache from 'mustache';
import { exactJsonText, parseShownJson } from '../contract/exact-json.ts';
import type { Sink } from '../world.ts';
import { isRecord } from './field-selection.ts';
import { formFault } from './form-fault.ts';
import { escapeBlock } from './terminal/escape.ts';

/** The parsed template. */
export type Template = {
  /** Names of fields, each with the sections that it stands in: `filename` within `{{#assets}}`. */
  readonly names: readonly TemplateName[];
  /** Renders this field where the template has that name. */
  readField(name: TemplateName, field: string): void;
  /** Returns the text of a record, without its line end. */
  render(record: object): string;
};

/** A name, and the names of the sections around it, the innermost first. */
export type TemplateName = { name: string; sections: readonly string[] };

/** Returns the template of `--template`. Throws Fault 'usage' where its syntax is wrong. */
export function parseTemplate(text: string): Template {
  const source = withEscapes(text);
  const writer = new Mustache.Writer();
  let tokens: Token[];
  try {
    tokens = writer.parse(source) as Token[];
  } catch (error) {
    throw formFault(`--template: ${(error as Error).message}`);
  }
  const names = new Map(namesIn(tokens, []));
  const render = (record: object): string =>
    // Its type leaves out the numbers and inner tokens that it returns from `parse`.
    writer.renderTokens(tokens as string[][], new FieldContext(record), undefined, source, {
      escape: textOf,
    });
  return {
    names: [...names.keys()],
    readField: (name, field) => {
      names.get(name)![1] = field;
    },
    render,
  };
}

/** Returns the stream: whole lines of JSON are written to it. */
export function templateSink({ render }: Template, stdout: Sink): Sink {
  let held = '';
  const decoder = new TextDecoder();
  return {
    isTTY: false,
    columns: undefined,
    async write(chunk) {
      held += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const end = held.lastIndexOf('\n') + 1;
      const lines = held.slice(0, end);
      held = held.slice(end);
      let shown = '';
      for (const line of lines.split('\n')) {
        if (line !== '') shown += `${render(parseShownJson(line) as object)}\n`;
      }
      if (shown !== '') await stdout.write(stdout.isTTY ? escapeBlock(shown) : shown);
    },
  };
}

/** Kind, name, start, end, and of a section its tokens. */
type Token = [kind: string, name: string, start: number, end: number, inner?: Token[]];

const MAX_NESTED_SECTIONS = 200;

function* namesIn(tokens: readonly Token[], sections: readonly string[]): Generator<[TemplateName, Token]> {
  if (sections.length > MAX_NESTED_SECTIONS)
    throw formFault(`--template: sections are nested more than ${MAX_NESTED_SECTIONS} levels deep`);
  for (const token of tokens) {
    const [kind, name, , , inner = []] = token;
    if (kind === '>')
      throw formFault(`--template: a template cannot include another one, as {{> ${name}}} does`);
    if (['name', '&', '#', '^'].includes(kind) && name !== '.') yield [{ name, sections }, token];
    yield* namesIn(inner, kind === '#' ? [name, ...sections] : sections);
  }
}

/** Returns the text with the characters that `\n`, `\t` and `\\` mean. */
function withEscapes(text: string): string {
  return text.replaceAll(/\\([nt\\])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? '\\');
}

/** A record, and those of the sections around it. Only its fields have names: `constructor` is none. */
class FieldContext extends Mustache.Context {
  override push(view: unknown): FieldContext {
    return new FieldContext(view, this);
  }

  override lookup(name: string): unknown {
    if (name === '.') return this.view;
    const keys = name.split('.');
    const last = keys.pop() ?? '';
    const owner = keys.reduce<unknown>(fieldOf, this.view);
    return isRecord(owner) && Object.hasOwn(owner, last) ? owner[last] : this.parent?.lookup(name);
  }
}

function fieldOf(record: unknown, name: string): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Nothing is escaped for HTML. A list or an object is JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : exactJsonText(value);
}
