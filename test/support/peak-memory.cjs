// Preloaded into a process (`node -r`): writes its largest resident memory [KiB] into the file that ARX_TEST_PEAK names.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  const [, kib = ''] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  writeFileSync(process.env.ARX_TEST_PEAK, kib);
});
