// What a flow does at an instant, epoch milliseconds.
import type { Flow } from './traffic.ts';

export function isClosing(flow: Flow, at: number): boolean {
  return flow.ends === 'fin' && flow.endAt !== null && at >= flow.endAt;
}

export function lastPacketAt(flow: Flow, at: number): number {
  if (flow.endAt !== null && at >= flow.endAt) {
    return flow.endAt;
  }
  return flow.startAt + Math.max(0, Math.floor((at - flow.startAt) / flow.everyMs)) * flow.everyMs;
}
