// The style sheet of HTML reports: light and dark, for any width and for paper.

/** Colours by meaning. */
export type Tone = 'calm' | 'good' | 'warn' | 'bad';

/** The style sheet. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --card: #fff; --ink: #1c2126; --soft: #59636e; --line: #dcdfe3; --grid: #eaecef;
  --calm: #2563ad; --good: #1a7f37; --warn: #b45309; --bad: #c0352b;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1b1f23; --ink: #e6e9ec; --soft: #9aa4ae; --line: #343a41; --grid: #272c32;
    --calm: #6cb0f5; --good: #57c878; --warn: #f0a94a; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 68rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif;
}
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2, h3 { margin: 0; font-size: 1.05rem; }
p { margin: .25rem 0; }
main > p { margin: 0 0 .75rem; }
header p, figcaption p, .axis, footer { color: var(--soft); }
header p { overflow-wrap: anywhere; }
.badge {
  display: inline-block; padding: .05rem .6rem; border: 1px solid currentColor; border-radius: 1rem;
  font-size: .85rem; font-weight: 600; vertical-align: .2em; white-space: nowrap;
}
.calm { color: var(--calm); } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1.5rem 0; padding: 0; list-style: none; }
.tiles li, .chart, .sheet { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.tiles li { padding: .7rem .75rem; font-size: .9rem; }
.tiles b { display: block; font-size: 1.3rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.chart { margin: 0 0 .75rem; padding: .9rem 1rem .7rem; }
.legend { display: inline-block; margin-right: 1rem; }
.legend svg { width: .75rem; height: .75rem; margin-right: .35rem; vertical-align: -.05em; }
.plot { display: grid; grid-template-columns: max-content minmax(0, 1fr); column-gap: .5rem; margin-top: .9rem; }
.plot svg { display: block; overflow: visible; }
.scale { width: 2.6rem; height: 11rem; }
.picture { width: 100%; height: 11rem; }
.ruler { grid-column: 2; width: 100%; height: 1.4rem; }
.axis { grid-column: 2; margin: 0; font-size: .8rem; }
.plot text { fill: var(--soft); font-size: .78rem; font-variant-numeric: tabular-nums; }
.scale text { text-anchor: end; dominant-baseline: middle; }
.ruler text { text-anchor: middle; }
.ruler .last { text-anchor: end; }
.grid, .zero, .trace { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--grid); } .zero { stroke: var(--soft); }
.fill { fill: currentColor; }
.pale { fill: currentColor; fill-opacity: .3; }
.area { fill: currentColor; fill-opacity: .16; }
.trace { stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.hit { fill: var(--ink); fill-opacity: 0; }
.hit:hover { fill-opacity: .1; }
.sheet { margin: .75rem 0 0; padding: .9rem 1rem; }
.sheet summary, .sheet caption { font-weight: 600; text-align: left; }
.sheet summary { cursor: pointer; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.25rem; margin: 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
.command span { display: inline-block; max-width: 100%; }
.scroll { overflow-x: auto; margin-top: .6rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--grid); text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
thead th { border-bottom-color: var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
footer { margin-top: 1.5rem; font-size: .85rem; }
@media (max-width: 32rem) {
  body { padding: 1.25rem .9rem 2rem; }
  th, td { padding: .25rem .4rem; }
  table { font-size: .8rem; }
  .ruler .between { display: none; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: .5rem; }
}
@media print {
  body { max-width: none; padding: 0; }
  .chart, .sheet:not(:has(table)), .tiles li, tr { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
}
`;
