// Trees with branches, from nested branches and from the depths of rows.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText } from '../../../src/format/terminal/styled-line.ts';
import { leadsOf, treeLines, type Branch } from '../../../src/format/terminal/tree.ts';

test.each<[depths: number[], unicode: boolean, leads: string[]]>([
  [[], true, []],
  [[0], true, ['']],
  [[0, 1, 2, 1], true, ['', '├ ', '│ └ ', '└ ']],
  [[0, 1, 1, 2, 3, 1, 0, 1], true, ['', '├ ', '├ ', '│ └ ', '│   └ ', '└ ', '', '└ ']],
  [[0, 1, 2, 1], false, ['', '|-', '| `-', '`-'].map((lead) => lead.replaceAll(/([|`])-/g, '$1 '))],
])('%j', (depths, unicode, leads) => {
  expect(leadsOf(rowsOf(depths), { unicode })).toEqual(leads);
});

test.each([
  [true, ['├ ', '├ ↳ msg_12 ', '├ ↳ msg_13 ', '└ ', '└ ']],
  [false, ['| ', '| answers msg_12 ', '| answers msg_13 ', '` ', '` ']],
])('rows below the last level name the one that they answer', (unicode, ends) => {
  const depths = [...Array.from({ length: 15 }, (_, depth) => depth), 12, 11];
  const leads = leadsOf(rowsOf(depths), { unicode }).slice(12);
  expect(leads.map((lead) => lead.trimStart().replace(/^[│|] (?=[├└|`])/, ''))).toEqual(ends);
});

function rowsOf(depths: readonly number[]): { depth: number; answers: string | undefined }[] {
  return depths.map((depth, at) => ({ depth, answers: at === 0 ? undefined : `msg_${at - 1}` }));
}

type Tree = { children: readonly Tree[] };
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    children: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }),
}));

test('both draw the same tree', () => {
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 4 }), fc.boolean(), (roots, unicode) => {
      const depths: number[] = [];
      const branchOf = ({ children }: Tree, depth: number): Branch => {
        depths.push(depth);
        return { line: '', children: children.map((child) => branchOf(child, depth + 1)) };
      };
      // treeLines draws branches also before the first level.
      const lines = treeLines(
        roots.map((root) => branchOf(root, 1)),
        { unicode },
      ).map(plainText);
      fc.pre(Math.max(0, ...depths) <= 12);
      expect(leadsOf(rowsOf(depths), { unicode })).toEqual(
        lines.map((line) =>
          (line.match(/.{3}/gu) ?? []).map((mark) => mark.slice(0, 1) + mark.slice(2)).join(''),
        ),
      );
    }),
  );
});
