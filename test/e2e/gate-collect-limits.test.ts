// `gate collect reverse-proxy-limits` on the stage: it passes when each limit was met, and names the one that was not.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reverseProxyLimits } from '#gate/collect/reverse-proxy-limits.ts';
import { readGateConfig } from '#gate/config.ts';
import { type Stage, startStage } from '../../scripts/stage.ts';
import { unattended } from '../../scripts/stage-tokens.ts';
import { warm } from '../support/gate-stage.ts';

/** Requests that never end are ended soon. */
const soon = { MCP_REQUEST_TIMEOUT_MS: '3000' };
const million = '1000000';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ mcp: soon });
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => stage.edge.clearFaults());

/** What the collector objects to in its bursts when the MCP server runs with `changes`. */
async function objections(changes: Readonly<Record<string, string>> = {}): Promise<string[]> {
  await stage.restartMcp({ ...soon, ...changes });
  await warm(stage);
  const context = unattended(readGateConfig(stage.gateEnv), stage.tokenSource.ca);
  const { objections: all } = await reverseProxyLimits.run(context);
  return all.filter((one) => /^(?:requests up to|a burst|a header)/.test(one));
}

test('the limits of the stage are met', async () => {
  expect(await objections()).toEqual([]);
});

test.each([['MCP_RATE_LIMIT_GLOBAL'], ['MCP_RATE_LIMIT_SUBJECT'], ['MCP_RATE_LIMIT_CLIENT'], ['MCP_MAX_CONCURRENT']])(
  '%s lifted is named, and nothing else',
  async (variable) => {
    expect(await objections({ [variable]: million })).toEqual([
      expect.stringMatching(`^requests up to ${variable}: \\d+ requests of 3 people and 3 clients did not meet it$`),
    ]);
  },
);

test('an address that is only named buys a new allowance', async () => {
  stage.edge.fail('keep-forwarded-for');
  expect(await objections()).toEqual(['a header that names another address: it is answered with 401, not 429']);
});
