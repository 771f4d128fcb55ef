// Starts the worker that computes where the nodes of the map are drawn.
import type { LayoutRequest, LayoutResult } from './arrangement.ts';
import workerUrl from './graph-worker.ts?worker&url';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string };
}

/** The CSP accepts a worker URL only from this policy. It ignores its argument, so no other script can be started. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('gatehouse-worker', {
  createScriptURL: () => workerUrl,
});

export function startLayout(onResult: (result: LayoutResult) => void) {
  const worker = new Worker(policy ? policy.createScriptURL('') : workerUrl, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutResult>) => onResult(data));
  return {
    request: (layout: LayoutRequest) => worker.postMessage(layout),
    stop: () => worker.terminate(),
  };
}
