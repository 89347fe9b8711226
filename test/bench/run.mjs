// `npm run bench [name…] [quick] [numbers] [-- options]`: figures as ratios within one run; every table goes to stdout, ready to paste.
import { parseArgs } from 'node:util';

const USUAL = ['start', 'page', 'depth', 'import', 'search', 'walk', 'files', 'verify', 'pulled'];
const WALKS = ['simulated', 'served', 'sizes', 'many', 'calibration', 'kill'];
const SEARCH = ['search-list', 'rows'];
const SERVICE = [
  'copy',
  'bucket',
  'fsck',
  'archives',
  'service',
  'filters',
  'costly',
  'intake',
  'ingest',
  'ingest-kinds',
  'ingest-kill',
  'hold',
  'hostile',
  'soak',
  'standby',
  'sqlmap',
];
const EXPLORER = ['explore'];
const BENCHES = [...USUAL, ...SEARCH, ...EXPLORER, ...WALKS, ...SERVICE];
/** Options of the bench `calibration`. */
const text = { type: 'string' };
const flag = { type: 'boolean' };
const { positionals: asked, values: options } = parseArgs({
  allowPositionals: true,
  options: { from: text, count: text, seed: text, json: flag, verbose: { ...flag, short: 'v' } },
});
const numbers = asked.filter((word) => /^\d+$/.test(word)).map(Number);
const names = asked.filter((word) => !/^\d+$/.test(word) && word !== 'quick');
const unknown = names.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${BENCHES.join(', ')}\n`);
  process.exit(2);
}
// What was started and made goes with a bench that is stopped.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
for (const name of names.length > 0 ? names : USUAL) {
  const { bench } = await import(`./${name}.mjs`);
  await bench({ quick: asked.includes('quick'), numbers, options });
}
