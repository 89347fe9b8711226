// The thread of disk work: one job after the other, each with its answer, in order.
import { parentPort } from 'node:worker_threads';
import { createDiskWork, type Job } from './disk-jobs.ts';

const work = createDiskWork();
parentPort?.on('message', (job: Job) => parentPort?.postMessage(work(job)));
