// What a server that is not Gatehouse's says of itself: the protocol eras it speaks, its session, its tools.
import { toMembers, toTexts } from '../json.ts';
import { initialize, legacy, legacyEra, modern, modernEra } from '../mcp-messages.ts';
import type { Answer, Ask } from '../target.ts';
import { getHeader } from './answer-headers.ts';
import { getResult } from './results.ts';

export type Era = typeof legacyEra | typeof modernEra;

export interface ServerView {
  /** Answers to `initialize` of era 2025-11-25 and to `server/discover` of era 2026-07-28. */
  first: Readonly<Record<Era, Answer>>;
  /** The answer to `tools/list`, by era; absent for an era that the server does not speak. */
  lists: ReadonlyMap<Era, Answer>;
  /** A tool that says it only reads and that needs no argument; null when there is none. */
  readTool: string | null;
  /** A request of this era, within the session that the server has opened for it, if any. */
  ask(era: Era, method: string, params?: Record<string, unknown>): Ask;
}

/** `post` sends a request with the read token. */
export async function viewServer(post: (name: string, ask: Ask) => Promise<Answer>): Promise<ServerView> {
  const initialized = await post('initialize', initialize());
  const session = getHeader(initialized, 'mcp-session-id');
  const ask = (era: Era, method: string, params?: Record<string, unknown>): Ask => {
    const plain = era === modernEra ? modern(method, params) : legacy(method, params);
    return era === legacyEra && session !== ''
      ? { ...plain, headers: { ...plain.headers, 'mcp-session-id': session } }
      : plain;
  };
  const first = { [legacyEra]: initialized, [modernEra]: await post('discover', ask(modernEra, 'server/discover')) };
  if (speaksLegacy(initialized)) {
    const { headers = {} } = ask(legacyEra, 'notifications/initialized');
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await post('initialized', { method: 'POST', headers, body });
  }
  const lists = new Map<Era, Answer>();
  for (const era of [legacyEra, modernEra] as const) {
    if (era === legacyEra ? speaksLegacy(first[era]) : speaksModern(first[era])) {
      const list = await post('tools', ask(era, 'tools/list'));
      lists.set(era, list);
    }
  }
  const [list] = lists.values();
  return { first, lists, readTool: list === undefined ? null : findReadTool(list), ask };
}

export function speaksLegacy(answer: Answer): boolean {
  return answer.status === 200 && getResult(answer).protocolVersion === legacyEra;
}

export function speaksModern(answer: Answer): boolean {
  return answer.status === 200 && toTexts(getResult(answer).supportedVersions).includes(modernEra);
}

function findReadTool(list: Answer): string | null {
  const { tools } = getResult(list);
  const found = (Array.isArray(tools) ? tools.map(toMembers) : []).find(
    ({ annotations, inputSchema }) =>
      toMembers(annotations).readOnlyHint === true && toTexts(toMembers(inputSchema).required).length === 0,
  );
  return typeof found?.name === 'string' ? found.name : null;
}
