// Sends a burst that exhausts the global rate limit: near the end of a run, and only when the name is not published.
import { type Check, fail, pass } from '../check.ts';
import { modern } from '../mcp-messages.ts';
import { parseRetryAfter } from './answer-headers.ts';
import type { ProbeContext } from './context.ts';

export const burstCheck: Check<ProbeContext> = {
  id: 'limit.burst',
  asks: 'a burst without tokens is stopped: 429 with Retry-After',
  category: 'rateLimit',
  needs: ['dns.absent', 'token.missing'],
  remedy:
    'let the proxy pass 429 and Retry-After unchanged; MCP_GATE_RATE_PROBE_REQUESTS is above 50, which is what one address has',
  async judge({ config, mcp, sent, onBurst, endSessions }) {
    // Sessions are ended here, because the endpoint would refuse to end them after the burst. No later check uses one.
    await endSessions();
    const most = config.MCP_GATE_RATE_PROBE_REQUESTS;
    for (let count = 1; count <= most; count += 1) {
      onBurst(count, most);
      const answer = await mcp('burst', modern('tools/list'));
      if (answer.status === 429) {
        sent.set('burst', answer.requestId);
        return parseRetryAfter(answer) === null ? fail('429 comes without Retry-After in seconds') : pass;
      }
      if (answer.status !== 401) {
        return fail(`request ${count} is answered with ${answer.status}`);
      }
    }
    return fail(`${most} requests within a moment were all let through to authentication`);
  },
};
