// The thread of disk work: one job after the other, each with its answer, in order.
import { parentPort } from 'node:worker_threads';
import { createDiskJobRunner, type DiskJob } from './disk-jobs.ts';

const work = createDiskJobRunner();
parentPort?.on('message', (job: DiskJob) => parentPort?.postMessage(work(job)));
