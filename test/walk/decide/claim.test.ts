// The decision about one claim: evidence and faults in, how sure the claim is out.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logOddsOf } from '../../../src/walk/decide/claim.ts';
import { faultModel, type FaultModel } from '../../../src/walk/decide/fault-model.ts';
import { FORGING_KINDS, noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import { FAULT_KINDS } from '../../../src/walk/evidence/fault-counts.ts';
import { faultRate, faultsOf } from './service-faults.ts';

const correct = faultModel(faultsOf(100));
const faulty = faultModel(
  faultRate(100, 0.1, ['omission', 'stale', 'order', 'cursor', 'edge', 'numbering'], 0.02),
);
/** Every fifth read comes from one old snapshot. */
const snapshot = faultModel(faultRate(200, 0.2, ['stale', 'omission'], 1));

const sure = (evidence: Partial<AdjacencyEvidence>, model: FaultModel = faulty) =>
  logOddsOf({ what: 'adjacency', ...noEvidence(), ...evidence }, model);
const tainted = (votes: number) => ({ omission: votes, stale: votes, order: votes });

describe('an adjacency is surer', () => {
  type Case = [what: string, more: Partial<AdjacencyEvidence>, less: Partial<AdjacencyEvidence>];
  const two = { insideVotes: 2 };
  test.each<Case>([
    ['with one vote than with none', { insideVotes: 1 }, {}],
    ['with three votes than with two', { insideVotes: 3 }, two],
    ['with a cursor vote besides', { ...two, cursorVotes: 1 }, two],
    ['with a cross-check besides', { ...two, crossCheckVotes: 1 }, two],
    ['by votes of reads without a fault', two, { ...two, taintedVotes: tainted(1) }],
    ['without a rival', { insideVotes: 4 }, { insideVotes: 4, rivalVotes: 1 }],
    ['with one rival than with two', { insideVotes: 4, rivalVotes: 1 }, { insideVotes: 4, rivalVotes: 2 }],
    ['without a reversed read', { insideVotes: 4 }, { insideVotes: 4, reversedReads: 1 }],
    [
      'with one reversed read than with two',
      { insideVotes: 4, reversedReads: 1 },
      { insideVotes: 4, reversedReads: 2 },
    ],
    ['without a gap in the positions', two, { ...two, isGap: true }],
  ])('%s', (_, more, less) => {
    for (const model of [correct, faulty, snapshot])
      expect(sure(more, model)).toBeGreaterThan(sure(less, model));
  });

  test('a gap counts as one rival, and not besides one', () => {
    const votes = { insideVotes: 3 };
    expect(sure({ ...votes, isGap: true })).toBe(sure({ ...votes, rivalVotes: 1 }));
    expect(sure({ ...votes, isGap: true, rivalVotes: 2 })).toBe(sure({ ...votes, rivalVotes: 2 }));
  });

  test('a tie between an adjacency and its rival is at most as likely right as wrong', () => {
    for (const votes of [1, 3, 8])
      expect(sure({ insideVotes: votes, rivalVotes: votes })).toBeLessThanOrEqual(1e-9);
  });

  test('by pages than by cursors where rows beside cursors were wrong', () => {
    const wrongCursors = faultModel(faultsOf(100, { cursor: { faulty: 20 } }));
    expect(sure({ insideVotes: 2 }, wrongCursors)).toBeGreaterThan(
      sure({ cursorVotes: 2 }, wrongCursors) + 1,
    );
    expect(sure({ cursorVotes: 2 }, correct)).toBeGreaterThan(sure({ cursorVotes: 2 }, wrongCursors) + 1);
  });

  test('without any vote nothing is claimed', () => {
    expect(sure({})).toBeCloseTo(0, 12);
    expect(sure({ isConsecutive: true, numberingVotes: 20 })).toBeCloseTo(0, 12);
  });

  test('votes of tainted reads are worth less by exactly the kind of fault that they show', () => {
    const staleOnly = { ...noEvidence().taintedVotes, stale: 2 };
    // Two reads that omit the same rows: nothing but a fault of order or one omission speaks against them.
    expect(sure({ insideVotes: 4, taintedVotes: staleOnly }, snapshot)).toBeLessThan(
      sure({ insideVotes: 4 }, snapshot),
    );
    const orderOnly = { ...noEvidence().taintedVotes, order: 2 };
    expect(sure({ insideVotes: 4, taintedVotes: orderOnly }, snapshot)).toBe(
      sure({ insideVotes: 4 }, snapshot),
    );
  });

  test('a cross-check that shares the snapshot says nothing against it', () => {
    const faults = faultRate(200, 0.2, ['stale'], 1);
    const sharing = faultModel({ ...faults, crossCheck: { reads: 50, faulty: 10, matches: 3 } });
    const other = faultModel({ ...faults, crossCheck: { reads: 50, faulty: 10, matches: 0 } });
    const checked = { insideVotes: 3, crossCheckVotes: 2 };
    expect(sure(checked, sharing)).toBe(sure({ insideVotes: 3 }, sharing));
    expect(sure(checked, other)).toBeGreaterThan(sure({ insideVotes: 3 }, other) + 1);
  });
});

describe('consecutive positions', () => {
  const numbered = { insideVotes: 1, isConsecutive: true, numberingVotes: 8 };

  test('make one vote enough where later reads number the rows alike', () => {
    expect(sure(numbered)).toBeGreaterThan(sure({ insideVotes: 2 }));
    expect(sure({ ...numbered, numberingVotes: 9 })).toBeGreaterThan(sure(numbered));
  });

  test.each([
    ['the positions are not consecutive', { isConsecutive: false }, faulty],
    ['no read numbers the rows so', { numberingVotes: 0 }, faulty],
    [
      'a page showed a row that is gone',
      {},
      faultModel({ ...faultRate(100, 0.1, ['stale'], 0.02), gone: { rows: 1 } }),
    ],
  ])('say nothing where %s', (_, changed, model) => {
    expect(sure({ ...numbered, ...changed }, model)).toBe(sure({ insideVotes: 1 }, model));
  });

  test('say less with each read that numbers the rows otherwise', () => {
    const one = sure({ ...numbered, numberingRivals: 1 });
    const two = sure({ ...numbered, numberingRivals: 2 });
    expect(sure(numbered)).toBeGreaterThan(one);
    expect(one).toBeGreaterThan(two);
    expect(sure({ ...numbered, numberingRivals: 8 })).toBe(sure({ insideVotes: 1 }));
  });

  test('hold against a rival that shows a neighbour further on', () => {
    expect(sure({ ...numbered, rivalVotes: 1 })).toBe(sure(numbered));
  });
});

describe('the start and the end', () => {
  const start = (votes: number, rivals: number, position?: Partial<AdjacencyEvidence>) =>
    logOddsOf(
      {
        what: 'start',
        beginsAtZero: false,
        votes,
        rivals,
        position: position && { ...noEvidence(), ...position },
      },
      faulty,
    );
  const end = (votes: number, model = faulty) => logOddsOf({ what: 'end', votes }, model);

  test('nothing is claimed without a vote', () => {
    expect(start(0, 0)).toBe(0);
    expect(start(0, 0, { isConsecutive: true, numberingVotes: 9 })).toBe(0);
    expect(end(0)).toBe(0);
  });

  test('are surer with more votes', () => {
    for (let votes = 0; votes < 6; votes++) {
      expect(start(votes + 1, 0)).toBeGreaterThan(start(votes, 0));
      expect(end(votes + 1)).toBeGreaterThan(end(votes));
    }
  });

  test('the start is less sure with rivals', () => {
    expect(start(4, 1)).toBeLessThan(start(4, 0));
    expect(start(4, 4)).toBe(0);
    expect(start(2, 3)).toBeLessThan(0);
  });

  test('a first row with position 1 needs two votes, since positions may begin at 0', () => {
    expect(start(1, 0, { isConsecutive: true, numberingVotes: 8 })).toBe(start(1, 0));
    expect(start(2, 0, { isConsecutive: true, numberingVotes: 8 })).toBeGreaterThan(start(2, 0));
    expect(start(1, 0, { isConsecutive: false, numberingVotes: 8 })).toBe(start(1, 0));
  });

  test.each(['edge', 'stale', 'order'] as const)('the start is less sure after faults: %s', (kind) => {
    const startBy = (model: FaultModel) =>
      logOddsOf({ what: 'start', beginsAtZero: false, votes: 3, rivals: 0, position: undefined }, model);
    expect(startBy(faultModel(faultRate(200, 0.3, [kind], 0.5)))).toBeLessThan(startBy(correct) - 3);
  });

  test('are less sure where ends were wrong, and where stale reads agree', () => {
    expect(end(3, faultModel(faultsOf(100, { edge: { faulty: 30 } })))).toBeLessThan(end(3, correct));
    expect(end(3, snapshot)).toBeLessThan(end(3, faultModel(faultRate(200, 0.2, ['stale'], 0))));
  });
});

describe('property: over random counts', () => {
  const counts = fc.record({
    reads: fc.integer({ min: 5, max: 400 }),
    share: fc.double({ min: 0, max: 0.6, noNaN: true }),
    repeated: fc.double({ min: 0, max: 1, noNaN: true }),
    kinds: fc.subarray([...FAULT_KINDS], { minLength: 1 }),
  });
  const votes = fc.record({
    insideVotes: fc.integer({ min: 1, max: 12 }),
    cursorVotes: fc.integer({ min: 0, max: 6 }),
    crossCheckVotes: fc.integer({ min: 0, max: 4 }),
    rivalVotes: fc.integer({ min: 0, max: 6 }),
    reversedReads: fc.integer({ min: 0, max: 6 }),
    isConsecutive: fc.boolean(),
    numberingVotes: fc.integer({ min: 0, max: 12 }),
    numberingRivals: fc.integer({ min: 0, max: 6 }),
  });
  const modelFor = ({
    reads,
    share,
    kinds,
    repeated,
  }: {
    reads: number;
    share: number;
    kinds: (typeof FAULT_KINDS)[number][];
    repeated: number;
  }) => faultModel(faultRate(reads, Math.floor(share * reads) / reads, kinds, repeated));
  const SLACK = 1e-9;

  test('more votes never make it less sure, more contradictions never surer', () => {
    fc.assert(
      fc.property(counts, votes, (seen, evidence) => {
        const model = modelFor(seen);
        const before = sure(evidence, model);
        const change = (field: keyof typeof evidence) =>
          sure({ ...evidence, [field]: Number(evidence[field]) + 1 }, model) - before;
        for (const field of ['insideVotes', 'cursorVotes', 'crossCheckVotes', 'numberingVotes'] as const)
          expect(change(field)).toBeGreaterThanOrEqual(-SLACK);
        for (const field of ['rivalVotes', 'reversedReads', 'numberingRivals'] as const)
          expect(change(field)).toBeLessThanOrEqual(SLACK);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test('one more tainted vote in place of a clean one never makes it surer', () => {
    fc.assert(
      fc.property(counts, votes, fc.constantFrom(...FORGING_KINDS), (seen, evidence, kind) => {
        const model = modelFor(seen);
        const clean = noEvidence().taintedVotes;
        for (let count = 0; count < evidence.insideVotes; count++) {
          const fewer = sure({ ...evidence, taintedVotes: { ...clean, [kind]: count } }, model);
          const more = sure({ ...evidence, taintedVotes: { ...clean, [kind]: count + 1 } }, model);
          expect(more).toBeLessThanOrEqual(fewer + SLACK);
        }
      }),
      { numRuns: 200, seed: 2 },
    );
  });

  test('one more faulty read makes it less sure, and by no jump', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 400 }),
        fc.integer({ min: 0, max: 100 }),
        fc.constantFrom(...FORGING_KINDS),
        fc.integer({ min: 1, max: 12 }),
        (reads, share, kind, insideVotes) => {
          const wrong = Math.floor((share / 100) * (reads - 1));
          const after = (count: number) =>
            sure({ insideVotes }, faultModel(faultsOf(reads, { [kind]: { faulty: count } })));
          const drop = after(wrong) - after(wrong + 1);
          expect(drop).toBeGreaterThanOrEqual(-SLACK);
          // Half a faulty read is assumed, so the first one counts as the third half.
          expect(drop).toBeLessThanOrEqual(Math.log(1 + 2 * insideVotes) + SLACK);
        },
      ),
      { numRuns: 300, seed: 3 },
    );
  });

  test('one more correct read makes it surer, and by no jump', () => {
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 1, max: 12 }),
        ({ reads, share, kinds, repeated }, insideVotes) => {
          const wrong = Math.floor(share * reads);
          const after = (all: number) =>
            sure({ insideVotes }, faultModel(faultRate(all, wrong / all, kinds, repeated)));
          const rise = after(reads + 1) - after(reads);
          expect(rise).toBeGreaterThan(0);
          expect(rise).toBeLessThanOrEqual(Math.log(1 + insideVotes / (reads + 1)) + SLACK);
        },
      ),
      { numRuns: 300, seed: 4 },
    );
  });

  test('one more vote adds at most what one read can prove', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 40 }), (seen, insideVotes) => {
        const model = modelFor(seen);
        const rise = sure({ insideVotes: insideVotes + 1 }, model) - sure({ insideVotes }, model);
        expect(rise).toBeGreaterThan(0);
        // No fault of one kind in all reads, and none repeated in all pairs of 8 + 40.
        expect(rise).toBeLessThanOrEqual(Math.log(2 * (seen.reads + 1)) + Math.log(2 * 48));
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});
