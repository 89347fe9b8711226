// Worker thread that decodes one picture, so that a hostile file can be given up.
import { parentPort, workerData } from 'node:worker_threads';
import { decodePicture, type PictureJob } from './decode-picture.ts';

void decodePicture(workerData as PictureJob).then((result) => parentPort?.postMessage(result));
