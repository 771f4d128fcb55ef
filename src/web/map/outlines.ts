// The outlines of the world, as scripts/world-map.ts makes them.
import { ApiError } from '../api/client.ts';

export interface Outlines {
  width: number;
  height: number;
  /** Code (null where there is none), a point in it, and its outline as an SVG path; empty where it is too small. */
  countries: [code: string | null, x: number, y: number, outline: string][];
}

/** Rejects with ApiError. */
export async function fetchOutlines(address: string, signal: AbortSignal): Promise<Outlines> {
  try {
    const answer = await fetch(address, { credentials: 'same-origin', signal });
    if (!answer.ok) {
      throw new Error(`the hub answered ${answer.status}`);
    }
    return (await answer.json()) as Outlines;
  } catch (error) {
    signal.throwIfAborted();
    throw new ApiError(0, 'unreachable', error instanceof Error ? error.message : 'no answer');
  }
}
