// What failed of many events, in few lines: an event by its line and id, what befell a whole request once, the rest counted.
import type { App } from '../../app.ts';
import { Fault, type FaultKind } from '../../faults.ts';
import { formatCount } from '../../format/numbers.ts';
import type { OutgoingEvent } from './envelopes.ts';

/** Said one by one, and the first of each kind in any case. One more is said too, in place of the line that would count it. */
const MAX_REPORTED = 10;

export type FailureSummary = {
  /** To be called for each event that failed, in their order. */
  add(sent: OutgoingEvent, fault: Fault): void;
  /** To be called at last, however the run ends. */
  end(): void;
};

export function createFailureSummary({ addFault: fail }: Pick<App, 'addFault'>): FailureSummary {
  let said = 0;
  const more = new Map<FaultKind, { events: number; last?: Fault }>();
  let run: { fault: Fault; first: OutgoingEvent; last: OutgoingEvent; events: number } | undefined;
  const tell = (): void => {
    if (run === undefined) return;
    const { fault, first, last, events } = run;
    run = undefined;
    const { kind, message, detail } = fault;
    const who = events === 1 ? nameOf(first) : `${formatCount(events)} events, ${spanOf(first, last)}`;
    const named = new Fault(kind, `${who}: ${message}`, detail);
    const unsaid = more.get(kind);
    if (said >= MAX_REPORTED && unsaid !== undefined) {
      more.set(kind, { events: unsaid.events + events, last: named });
      return;
    }
    said += 1;
    if (unsaid === undefined) more.set(kind, { events: 0 });
    fail(named);
  };
  return {
    add: (sent, fault) => {
      if (run?.fault === fault) {
        run.last = sent;
        run.events += 1;
        return;
      }
      tell();
      run = { fault, first: sent, last: sent, events: 1 };
    },
    end: () => {
      tell();
      for (const [kind, { events, last }] of more) {
        if (last === undefined) continue;
        fail(events === 1 ? last : new Fault(kind, `and ${formatCount(events)} more events`));
      }
    },
  };
}

function nameOf({ line, event: { id } }: OutgoingEvent): string {
  return line === undefined ? `event ${id}` : `line ${line}, event ${id}`;
}

function spanOf(first: OutgoingEvent, last: OutgoingEvent): string {
  return first.line === undefined
    ? `${first.event.id} to ${last.event.id}`
    : `lines ${first.line} to ${last.line}`;
}
