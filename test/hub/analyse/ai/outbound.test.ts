// What all four adapters would send of random worlds full of secrets: nothing that is excluded.
import fc from 'fast-check';
import { expect } from 'vitest';
import { type AiProviderName, aiProviderNames } from '#contract/ai-records.ts';
import { buildAnalysisPrompt, buildChatPrompt } from '#hub/analyse/ai/analysis/prompts.ts';
import type { Target } from '#hub/analyse/ai/providers/provider.ts';
import { createProviders } from '#hub/analyse/ai/providers/providers.ts';
import { buildContext } from '#hub/analyse/insights/context.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { leaksIn, worlds } from '../../../support/ai-worlds.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { verifies } from '../../../support/verifies.ts';

const key = 'zq-key-of-the-provider';

function createTarget(provider: AiProviderName): Target {
  const isCloudC = provider === 'cloud_c';
  return {
    ...{ provider, model: 'model-1', key: isCloudC || provider === 'local' ? '' : key },
    endpoint: provider === 'local' ? 'http://127.0.0.1:11434' : '',
    region: isCloudC ? 'eu-central-1' : '',
    guardrail: isCloudC ? { id: 'guard', version: 'DRAFT' } : null,
  };
}

/** Members of a request that would let a model act. */
const tools = /"(?:tools|toolConfig|tool_choice|functions|function_call|mcp_servers)":/;

verifies(
  'rest.ai-analyze.excluded',
  `no mark of ${budget(150, 1000, 'random worlds')} stands in a request of any adapter`,
  async () => {
    await using all = createProviders({ clock: systemClock, log: createLog('hub', 'silent') }, undefined);
    const { providers } = all;
    fc.assert(
      fc.property(worlds, fc.constantFrom('en' as const, 'ja' as const), (world, language) => {
        const context = buildContext(world.input);
        const history = [{ question: 'What is new?', answer: 'Nothing.' }];
        const prompts = [
          buildAnalysisPrompt(context, { language }),
          buildChatPrompt(context, { language, history, message: 'And now?', priorAnalysis: 'All is well.' }),
        ];
        for (const provider of aiProviderNames) {
          for (const prompt of prompts) {
            const { url, body } = providers[provider].buildRequest(createTarget(provider), prompt);
            expect([provider, leaksIn(`${url}\n${body}`, world)]).toEqual([provider, []]);
            expect(body).not.toContain(key);
            expect(body).not.toMatch(tools);
          }
        }
      }),
      { numRuns: runs(150, 1000) },
    );
  },
  120_000,
);
