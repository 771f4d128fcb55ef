// Starts the worker that arranges the graph.
import type { Arranged, ToArrange } from './arrangement.ts';
import address from './graph-worker.ts?worker&url';

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string };
}

/** The page's CSP requires Trusted Types. This policy always returns the address of the worker. */
const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('gatehouse-worker', {
  createScriptURL: () => address,
});

export function startLayout(listener: (arranged: Arranged) => void) {
  const worker = new Worker(policy ? policy.createScriptURL('') : address, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<Arranged>) => listener(data));
  return {
    ask: (message: ToArrange) => worker.postMessage(message),
    stop: () => worker.terminate(),
  };
}
