// `npm run bench [start page import]`: figures as ratios within one run; every table goes to stdout.
const BENCHES = ['start', 'page', 'import'];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${BENCHES.join(', ')}\n`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : BENCHES) {
  const { bench } = await import(`./${name}.mjs`);
  await bench();
}
