// Requests of the probes to the hub at MCP_GATE_MONITOR_URL.
import { parseIsoTime } from '#kernel/time/clock.ts';
import { hubAddress } from '../config.ts';
import type { Answer } from '../target.ts';
import type { ProbeContext } from './context.ts';

/** GET of a path that needs no credential. */
export function askHubAnonymously({ config, hub }: ProbeContext, path: string): Promise<Answer> {
  return hub.ask('hub', hubAddress(config, path));
}

/** GET of a path with MCP_GATE_MONITOR_TOKEN. */
export function askHub({ config, hub }: ProbeContext, path: string): Promise<Answer> {
  return hub.ask('hub', hubAddress(config, path), { headers: { 'x-admin-token': config.MCP_GATE_MONITOR_TOKEN } });
}

/** Epoch milliseconds of a number or an ISO 8601 text of the hub; NaN for anything else. */
export function parseInstant(value: unknown): number {
  return typeof value === 'number' ? value : ((typeof value === 'string' ? parseIsoTime(value) : null) ?? Number.NaN);
}
