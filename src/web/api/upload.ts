// Sends a file as a body and reports how much of it has been sent, which `fetch` cannot do.
import { ApiError, apiUrl, createHeaders, type Reply, type RouteName, toRefusal } from './client.ts';

type UploadName = Extract<RouteName, `POST /api/backup/${'check' | 'upload'}`>;

/** Rejects with ApiError, or with the reason of `signal`. `report` is called with the share that was sent, up to 1. */
export function sendFile<N extends UploadName>(
  name: N,
  file: Blob,
  report: (share: number) => void,
  signal: AbortSignal,
): Promise<Reply<N>> {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<Reply<N>>();
  request.open('POST', apiUrl(name.slice('POST '.length)));
  for (const [header, value] of Object.entries({
    ...createHeaders('POST'),
    'content-type': 'application/octet-stream',
  })) {
    request.setRequestHeader(header, value);
  }
  request.upload.addEventListener('progress', ({ loaded, total }) => report(total === 0 ? 1 : loaded / total));
  request.upload.addEventListener('load', () => report(1));
  request.addEventListener('load', () => {
    if (request.status === 200) {
      resolve(JSON.parse(request.responseText) as Reply<N>);
    } else {
      reject(toRefusal(request.status, request.responseText));
    }
  });
  request.addEventListener('error', () => reject(new ApiError(0, 'unreachable', 'no answer')));
  request.addEventListener('abort', () => reject(signal.reason));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.send(file);
  return promise;
}
