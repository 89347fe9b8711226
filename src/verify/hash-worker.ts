// Worker thread of the hash pool.
import { parentPort, workerData } from 'node:worker_threads';
import { createHashRunner, type HashWorkerOptions } from './hash-jobs.ts';

const run = createHashRunner(workerData as HashWorkerOptions, (batch) => parentPort?.postMessage(batch));
parentPort?.on('message', run);
