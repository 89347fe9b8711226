// Worker thread that runs disk jobs, one after the other; results come in the same order.
import { parentPort, workerData } from 'node:worker_threads';
import { createDiskJobRunner, type DiskJob, type DiskWorkerData } from './disk-jobs.ts';

const run = createDiskJobRunner();
const { stopped } = workerData as DiskWorkerData;
parentPort?.on('message', (job: DiskJob | 'stop') => {
  if (job === 'stop' || Atomics.load(stopped, 0) === 1) process.exit();
  parentPort?.postMessage(run(job));
});
