// Reads the value of a filter of a query.
import { cutText } from './cut-text.ts';
import { dateExamples, parsePeriod } from './dates.ts';
import { QueryError } from './expression.ts';
import { EXAMPLES, type Token } from './tokens.ts';
import { wordsOf } from './words.ts';

/** Returns the filter that a token means. `now` in milliseconds since the epoch. Throws {@link QueryError}. */
export function filterOf({ name, value, valueAt }: Token & { kind: 'filter' }, now: number) {
  const hint = EXAMPLES[name];
  switch (name) {
    case 'conversation':
      if (!/^conv_\d{1,15}$/.test(value))
        throw new QueryError(`"${cutText(value)}" is no id of a conversation`, valueAt, hint);
      return { kind: 'conversation', id: value } as const;
    case 'type': {
      const type = value.toLowerCase();
      if (!/^[\w.+-]{1,100}(?:\/(?:\*|[\w.+-]{1,100}))?$/.test(type))
        throw new QueryError(`"${cutText(value)}" is no content type`, valueAt, hint);
      return { kind: 'type', type: type.includes('/') ? type.replace(/\*$/, '') : `${type}/` } as const;
    }
    case 'city':
    case 'channel':
      if (wordsOf(value).length === 0)
        throw new QueryError(`"${cutText(value)}" is no ${name}`, valueAt, hint);
      return { kind: name, label: value } as const;
    case 'source':
      if (!/^[\w.-]{1,100}$/.test(value))
        throw new QueryError(`"${cutText(value)}" is no source`, valueAt, hint);
      return { kind: 'source', name: value } as const;
    case 'has':
      if (!/^(?:attachments?|files?)$/i.test(value))
        throw new QueryError(`has:${cutText(value)} is not known`, valueAt, hint);
      return { kind: 'attachment' } as const;
    case 'since':
    case 'before':
    case 'on': {
      const period = parsePeriod(value, now);
      if (typeof period === 'string') throw new QueryError(period, valueAt, dateExamples(`${name}:`));
      if (name === 'on') return { kind: 'date', ...period } as const;
      return name === 'since'
        ? ({ kind: 'date', start: period.start } as const)
        : ({ kind: 'date', end: period.start } as const);
    }
    default:
      return name satisfies never;
  }
}
