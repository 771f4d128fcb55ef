// The program of the thread of checkpoint.ts: one passive checkpoint per message, until the stop message.
import { parentPort, workerData } from 'node:worker_threads';
import { openCheckpoint } from './sqlite.ts';

const checkpoint = openCheckpoint(String(workerData));

parentPort?.on('message', (what: 'checkpoint' | 'stop') => {
  if (what === 'stop') {
    checkpoint.close();
    parentPort?.close();
    return;
  }
  checkpoint.run();
  parentPort?.postMessage('done');
});
