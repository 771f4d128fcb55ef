// One client of the query benchmarks: asks as a browser does, packed, and reads the whole answer.
import { request } from 'undici';
import type { HubProcess } from '../test/support/hub-process.ts';

/** Asks for a path; resolves to the bytes of the answer, rejects when it is not a 200. */
export type Ask = (target: string) => Promise<number>;

export function asker({ url }: HubProcess, adminToken: string): Ask {
  return async (target) => {
    const headers = { 'x-admin-token': adminToken, 'accept-encoding': 'gzip' };
    const { statusCode, body } = await request(new URL(target, url), { headers });
    let bytes = 0;
    for await (const chunk of body) {
      bytes += (chunk as Uint8Array).byteLength;
    }
    if (statusCode !== 200) {
      throw new Error(`${target} was answered with ${statusCode}`);
    }
    return bytes;
  };
}

/** When the newest connection of the log was last seen: epoch milliseconds. */
export async function findNewest(hub: HubProcess): Promise<number> {
  const { connections } = await hub.as.admin.connections.list({ query: { limit: '1' } });
  const [newest] = connections;
  if (!newest) {
    throw new Error('the log is empty: seed it first');
  }
  return newest.lastSeen;
}
