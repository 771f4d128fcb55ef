// Who is refused, and how: no token, and four that are no good.
import { type Check, passUnless } from '../check.ts';
import { modern } from '../mcp-messages.ts';
import { challengeOf, type ProbeContext, type ProbeName } from './context.ts';
import { metadataPaths } from './reach.ts';
import { statusIs } from './status.ts';

export { statusIs };

const needs = ['target.answers'];

const withoutToken: Check<ProbeContext> = {
  id: 'token.missing',
  asks: 'without a token: 401, and a challenge that names the metadata and the scope',
  category: 'tokenRejection',
  needs,
  remedy: 'let the proxy pass the WWW-Authenticate header unchanged',
  async judge({ config, mcp }) {
    const answer = await mcp('no-token', modern('tools/list'));
    const { resource_metadata: address, scope } = challengeOf(answer);
    const { origin } = config.MCP_GATE_ENDPOINT.url;
    return passUnless([
      ...statusIs(answer, 401),
      ...(metadataPaths.some((path) => address === `${origin}${path}`)
        ? []
        : ['resource_metadata names another address']),
      ...(scope?.split(' ').includes(config.MCP_GATE_READ_SCOPE) ? [] : ['scope lacks the read scope']),
    ]);
  },
};

/** A token that must be refused as invalid. */
function refused(name: ProbeName, asks: string, tokenOf: (context: ProbeContext) => string, more: readonly string[]) {
  return {
    id: `token.${name}`,
    asks: `${asks}: 401 with error="invalid_token"`,
    category: 'tokenRejection',
    needs: [...needs, ...more],
    remedy: 'the endpoint accepts what it must not: do not publish it',
    async judge(context) {
      const answer = await context.mcp(name, { ...modern('tools/list'), token: tokenOf(context) });
      context.sent.set(name, answer.requestId);
      const { error } = challengeOf(answer);
      return passUnless([
        ...statusIs(answer, 401),
        ...(error === 'invalid_token' ? [] : ['the challenge does not say invalid_token']),
      ]);
    },
  } satisfies Check<ProbeContext>;
}

const judged = ['tokens.signatures'];

export const tokenChecks: readonly Check<ProbeContext>[] = [
  withoutToken,
  refused('malformed', 'a malformed token', () => 'gatehouse.gate.malformed', []),
  refused('expired', 'an expired token', ({ config }) => config.MCP_GATE_EXPIRED_TOKEN, judged),
  refused(
    'wrong-audience',
    'a token for another audience',
    ({ config }) => config.MCP_GATE_WRONG_AUDIENCE_TOKEN,
    judged,
  ),
  refused('revoked', 'a revoked token after its expiry', ({ config }) => config.MCP_GATE_REVOKED_EXPIRED_TOKEN, judged),
];
