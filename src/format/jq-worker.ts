// Worker thread that runs jq, so that a program without end can be interrupted.
import { parentPort, workerData } from 'node:worker_threads';
import { createJqRunner, type JqWorkerOptions } from './jq-runner.ts';

const run = createJqRunner(workerData as JqWorkerOptions);
parentPort?.on('message', (json: string) => void run(json).then((result) => parentPort?.postMessage(result)));
