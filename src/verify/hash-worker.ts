// A thread of a crew: its orders come as messages, and so do its answers.
import { parentPort, workerData } from 'node:worker_threads';
import { createHashing, type ThreadTask } from './hash-jobs.ts';

const hashing = createHashing(workerData as ThreadTask, (answer) => parentPort?.postMessage(answer));
parentPort?.on('message', hashing);
