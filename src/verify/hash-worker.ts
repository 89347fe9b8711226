// A thread of a crew: its orders come as messages, and so do its answers.
import { parentPort, workerData } from 'node:worker_threads';
import { createHashRunner, type HashWorkerOptions } from './hash-jobs.ts';

const hashing = createHashRunner(workerData as HashWorkerOptions, (answer) =>
  parentPort?.postMessage(answer),
);
parentPort?.on('message', hashing);
