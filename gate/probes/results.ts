// Parts of the results of MCP requests that more than one probe reads.
import { toMembers } from '../json.ts';
import type { Answer } from '../target.ts';

export function getResult({ json }: Pick<Answer, 'json'>): Readonly<Record<string, unknown>> {
  return toMembers(toMembers(json).result);
}

/** The names of an answer to `tools/list`, sorted. */
export function listToolNames(answer: Answer): string[] {
  const { tools } = getResult(answer);
  return Array.isArray(tools) ? tools.map((tool) => String(toMembers(tool).name)).sort() : [];
}
