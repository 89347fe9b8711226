// Writes the bytes that this process has read to standard error when it ends. Linux only.
const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread)
  process.on('exit', () => {
    const [, bytes] = /rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'));
    process.stderr.write(`bytes read: ${bytes}\n`);
  });
