// The worker that arranges the graph, as the page speaks to it.
import address from './graph-worker.ts?worker&url';

export type ToArrange =
  | {
      turn: number;
      /** With a place: where it was. */
      nodes: { size: number; x: number | undefined; y: number | undefined }[];
      /** Pairs of indices. */
      links: [number, number][];
      /** Only the end is wanted. */
      isStill: boolean;
    }
  /** A node is held at a place; null: no longer. */
  | { index: number; at: [number, number] | null; isStill: boolean };

export interface Arranged {
  /** That of the graph it belongs to. */
  turn: number;
  /** x and y of each node. */
  positions: Float32Array<ArrayBuffer>;
  isSettled: boolean;
}

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
