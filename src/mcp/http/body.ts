// Reads a request body up to a limit. It parses nothing and buffers nothing beyond the limit.
import type { IncomingMessage } from 'node:http';

/** Whether the declared length exceeds `limit`, or no length is declared (RFC 9112 §6). */
export function mayExceed({ headers }: IncomingMessage, limit: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > limit;
}

/** Reads the body; null as soon as it exceeds `limit`. Rejects when the client leaves or `signal` is aborted. */
export async function readBody(incoming: IncomingMessage, limit: number, signal: AbortSignal): Promise<Buffer | null> {
  signal.throwIfAborted();
  if (Number(incoming.headers['content-length'] ?? 0) > limit) {
    return null;
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void) => {
      incoming.off('data', take).off('end', whole).off('error', broken).off('close', gone);
      signal.removeEventListener('abort', cut);
      settle();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        incoming.pause();
        end(() => resolve(null));
        return;
      }
      chunks.push(chunk);
    };
    const whole = () => end(() => resolve(Buffer.concat(chunks)));
    const broken = (error: Error) => end(() => reject(error));
    const gone = () => end(() => reject(new Error('the client went away')));
    const cut = () => end(() => reject(signal.reason));
    incoming.on('data', take).once('end', whole).once('error', broken).once('close', gone);
    signal.addEventListener('abort', cut, { once: true });
  });
}
