// Worker thread that runs disk jobs, one after the other; results come in the same order.
import { parentPort, workerData } from 'node:worker_threads';
import { createDiskJobRunner, type DiskJob, type DiskWorkerData } from './disk-jobs.ts';

const { stopped } = workerData as DiskWorkerData;
const isStopped = (): boolean => Atomics.load(stopped, 0) === 1;
const run = createDiskJobRunner(isStopped);
parentPort?.on('message', (job: DiskJob | 'stop') => {
  if (job === 'stop' || isStopped()) process.exit();
  const result = run(job);
  // It may be a hash that was ended early; a file that got its name is reported.
  if (job.kind !== 'commit' && isStopped()) process.exit();
  parentPort?.postMessage(result);
});
