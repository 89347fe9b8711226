// `npm run bench [start page import walk files verify [seeds [first]]]`: figures as ratios within one run; every table goes to stdout.
const BENCHES = ['start', 'page', 'import', 'walk', 'files', 'verify'];
const asked = process.argv.slice(2);
const seeds = asked.filter((name) => /^\d+$/.test(name)).map(Number);
const names = asked.filter((name) => !/^\d+$/.test(name));
const unknown = names.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${BENCHES.join(', ')}\n`);
  process.exit(2);
}
for (const name of names.length > 0 ? names : BENCHES) {
  const { bench } = await import(`./${name}.mjs`);
  await bench(...seeds);
}
