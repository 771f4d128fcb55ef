// Asks a server for its protocol eras, its session and its tools, since only Gatehouse's own are known beforehand.
import { toMembers, toTexts } from '../json.ts';
import { initialize, legacy, legacyEra, modern, modernEra } from '../mcp-messages.ts';
import type { Answer, Ask } from '../target.ts';
import { getHeader } from './answer-headers.ts';
import { getResult } from './results.ts';

export type Era = typeof legacyEra | typeof modernEra;

export interface ServerView {
  /** Answers to `initialize` of era 2025-11-25 and to `server/discover` of era 2026-07-28. */
  introductions: Readonly<Record<Era, Answer>>;
  /** The answer to `tools/list`, by era; absent for an era that the server does not speak. */
  toolLists: ReadonlyMap<Era, Answer>;
  /** A tool that says it only reads and that needs no argument; null when there is none. */
  readTool: string | null;
  /** Returns a request of this era. It names the session that the server has opened, if there is one. */
  createAsk(era: Era, method: string, params?: Record<string, unknown>): Ask;
}

/** Asks the server. `post` sends a request with the read token, under a name for its request id. */
export async function inspectServer(post: (name: string, ask: Ask) => Promise<Answer>): Promise<ServerView> {
  const initialized = await post('initialize', initialize());
  const session = getHeader(initialized, 'mcp-session-id');
  const createAsk = (era: Era, method: string, params?: Record<string, unknown>): Ask => {
    const plain = era === modernEra ? modern(method, params) : legacy(method, params);
    return era === legacyEra && session !== ''
      ? { ...plain, headers: { ...plain.headers, 'mcp-session-id': session } }
      : plain;
  };
  const introductions = {
    [legacyEra]: initialized,
    [modernEra]: await post('discover', createAsk(modernEra, 'server/discover')),
  };
  if (speaksLegacy(initialized)) {
    const { headers = {} } = createAsk(legacyEra, 'notifications/initialized');
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await post('initialized', { method: 'POST', headers, body });
  }
  const toolLists = new Map<Era, Answer>();
  for (const era of [legacyEra, modernEra] as const) {
    if (era === legacyEra ? speaksLegacy(introductions[era]) : speaksModern(introductions[era])) {
      const list = await post('tools', createAsk(era, 'tools/list'));
      toolLists.set(era, list);
    }
  }
  const [list] = toolLists.values();
  return { introductions, toolLists, readTool: list === undefined ? null : findReadTool(list), createAsk };
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
