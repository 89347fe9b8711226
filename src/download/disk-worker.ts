// Worker thread that runs disk jobs, one after the other; results come in the same order.
import { parentPort } from 'node:worker_threads';
import { createDiskJobRunner, type DiskJob } from './disk-jobs.ts';

const run = createDiskJobRunner();
parentPort?.on('message', (job: DiskJob) => parentPort?.postMessage(run(job)));
