// The program of the thread of checkpoint.ts: it makes one passive checkpoint or compaction for each message, until the stop message.
import { parentPort, workerData } from 'node:worker_threads';
import { openCheckpoint } from './checkpoint-connection.ts';

const checkpoint = openCheckpoint(String(workerData));

parentPort?.on('message', (what: 'checkpoint' | 'compact' | 'stop') => {
  if (what === 'stop') {
    checkpoint.close();
    parentPort?.close();
    return;
  }
  if (what === 'compact') {
    checkpoint.compact();
  } else {
    checkpoint.run();
  }
  parentPort?.postMessage('done');
});
