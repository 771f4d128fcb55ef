// When a program in this process has received the head of an answer, by the channels that undici and Node publish.
import diagnostics from 'node:diagnostics_channel';

const channels = ['undici:request:headers', 'http.client.response.finish'] as const;

/** Resolves after the next head of an answer to a request of this process was handled. Listens from the call on. */
export async function nextAnswerHead(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listen = () => resolve();
  for (const channel of channels) {
    diagnostics.subscribe(channel, listen);
  }
  try {
    await promise;
  } finally {
    for (const channel of channels) {
      diagnostics.unsubscribe(channel, listen);
    }
  }
  // Whoever waits for the head goes on first.
  await new Promise<void>((done) => setImmediate(done));
}
