// The worker that arranges the graph, as the page speaks to it.
import type { Arranged, ToArrange } from './arrangement.ts';
import address from './graph-worker.ts?worker&url';

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string };
}

/** The policy of the page takes no text as an address of a script; this rule knows one, whatever it is given. */
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
