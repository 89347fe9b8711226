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
  expect(leadsOf(depths, { unicode })).toEqual(leads);
});

test('of many levels the last ones are drawn', () => {
  const [lead = ''] = leadsOf(
    Array.from({ length: 40 }, (_, depth) => depth),
    { unicode: true },
  ).slice(-1);
  expect(lead).toBe(`${'  '.repeat(11)}└ `);
});

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
      expect(leadsOf(depths, { unicode })).toEqual(
        lines.map((line) =>
          (line.match(/.{3}/gu) ?? []).map((mark) => mark.slice(0, 1) + mark.slice(2)).join(''),
        ),
      );
    }),
  );
});
