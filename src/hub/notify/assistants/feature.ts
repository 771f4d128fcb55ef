// Tells people who connect an AI assistant whether the MCP server answers.
import type { Base, Feature, RouteHandlers } from '../../base/feature.ts';
import { checkMcpServer, isInside, requireMcpUrl } from './mcp-server.ts';

export function startAssistantsFeature({
  clock,
  offline,
}: Base): Feature<{ config: RouteHandlers<'config', 'checkMcp'> }> {
  const ending = new AbortController();
  return {
    handlers: {
      config: {
        async checkMcp({ body }) {
          const url = requireMcpUrl(body.url);
          return offline && !isInside(url)
            ? { state: 'offline', authentication: null }
            : checkMcpServer(clock, url, ending.signal);
        },
      },
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the hub stops'));
    },
  };
}
