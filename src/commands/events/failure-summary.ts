// Reports the failures of many events in few lines: single events by line and id, a failed request once, the rest as a count.
import type { App } from '../../app.ts';
import { Fault, type FaultKind } from '../../faults.ts';
import { formatCount } from '../../format/numbers.ts';
import type { OutgoingEvent } from './envelopes.ts';

/**
 * Failures that are reported one by one; the first of each kind is always reported. If only one more failure remains, it is
 * shown instead of a count.
 */
const MAX_REPORTED = 10;

/** Collects failures and reports them to the App. */
export type FailureSummary = {
  /** Adds a failed event. Call it in the order of the events. */
  add(sent: OutgoingEvent, fault: Fault): void;
  /** Reports what is left. Call it once, however the run ends. */
  end(): void;
};

/** Returns a summary that adds its Faults to the App. */
export function createFailureSummary({ addFault: fail }: Pick<App, 'addFault'>): FailureSummary {
  let reported = 0;
  const unreported = new Map<FaultKind, { events: number; last?: Fault }>();
  let sameFault: { fault: Fault; first: OutgoingEvent; last: OutgoingEvent; events: number } | undefined;
  const report = (): void => {
    if (sameFault === undefined) return;
    const { fault, first, last, events } = sameFault;
    sameFault = undefined;
    const { kind, message, detail } = fault;
    const who = events === 1 ? nameOf(first) : `${formatCount(events)} events, ${spanOf(first, last)}`;
    const named = new Fault(kind, `${who}: ${message}`, detail);
    const rest = unreported.get(kind);
    if (reported >= MAX_REPORTED && rest !== undefined) {
      unreported.set(kind, { events: rest.events + events, last: named });
      return;
    }
    reported += 1;
    if (rest === undefined) unreported.set(kind, { events: 0 });
    fail(named);
  };
  return {
    add: (sent, fault) => {
      if (sameFault?.fault === fault) {
        sameFault.last = sent;
        sameFault.events += 1;
        return;
      }
      report();
      sameFault = { fault, first: sent, last: sent, events: 1 };
    },
    end: () => {
      report();
      for (const [kind, { events, last }] of unreported) {
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
