// One reader of a UPS at a time on this computer: two would log each other off. The system ends the lock with its process.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf, Failure } from './failure.ts';

export interface Lock {
  release(): void;
}

/**
 * Waits at most `waitMs` for the others. A lock is a local socket that is listened on; who waits is connected to it and
 * so learns at once when it is free. Throws a Failure when it does not come free.
 */
export async function takeLock(name: string, waitMs: number, signal: AbortSignal): Promise<Lock> {
  const address = addressOf(name);
  const late = AbortSignal.timeout(waitMs);
  const ended = AbortSignal.any([signal, late]);
  for (;;) {
    const lock = await listen(address);
    if (lock) {
      return lock;
    }
    await released(address, ended);
    signal.throwIfAborted();
    if (late.aborted) {
      throw new Failure(`another upsget has been reading this UPS for ${waitMs / 1000} s; end it or try again later`);
    }
  }
}

function addressOf(name: string): string {
  const id = `upsget-${createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 32)}`;
  switch (process.platform) {
    case 'linux':
      // An abstract socket: no file, and nothing left of it when its process is gone.
      return `\0${id}`;
    case 'win32':
      return `\\\\.\\pipe\\${id}`;
    default:
      return path.join(tmpdir(), `${id}.sock`);
  }
}

/** null when somebody else holds it. */
function listen(address: string): Promise<Lock | null> {
  const waiting = new Set<Socket>();
  const server: Server = createServer((socket) => {
    waiting.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => waiting.delete(socket));
    socket.resume();
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (errorCodeOf(error) === 'EADDRINUSE') {
        resolve(null);
      } else {
        reject(new Failure(`the lock that keeps two upsget apart cannot be taken: ${error.message}`));
      }
    });
    server.listen(address, () => {
      server.unref();
      resolve({
        release() {
          server.close();
          for (const socket of waiting) {
            socket.destroy();
          }
        },
      });
    });
  });
}

/** Resolves when the holder lets go, or `ended` aborts. */
async function released(address: string, ended: AbortSignal): Promise<void> {
  const gone = await new Promise<boolean>((resolve) => {
    const socket = connect(address);
    const stop = () => socket.destroy();
    let refused = false;
    socket.on('error', (error) => {
      refused = errorCodeOf(error) === 'ECONNREFUSED';
    });
    socket.on('close', () => {
      ended.removeEventListener('abort', stop);
      resolve(refused);
    });
    socket.resume();
    ended.addEventListener('abort', stop, { once: true });
    if (ended.aborted) {
      stop();
    }
  });
  if (gone) {
    if (!address.startsWith('\0')) {
      // A socket file whose process was killed.
      rmSync(address, { force: true });
    }
    await sleep(10);
  }
}
