// Where the services are: official addresses, whatever variables and files of others say.
import { expect } from 'vitest';
import { createProviders } from '#hub/analyse/ai/providers/providers.ts';
import { createLog } from '#kernel/process/log.ts';
import { openAiDesk, smallPrompt } from '../../../support/ai-desk.ts';
import { setVariables } from '../../../support/ai-lab.ts';
import { verifies } from '../../../support/verifies.ts';

const elsewhere = 'http://127.0.0.1:1';
const variables = {
  AWS_ENDPOINT_URL: elsewhere,
  AWS_ENDPOINT_URL_BEDROCK: elsewhere,
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: elsewhere,
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_REGION: 'eu-west-3',
  ANTHROPIC_BASE_URL: elsewhere,
  OPENAI_BASE_URL: elsewhere,
};

verifies(
  'rest.ai.fixed-endpoints rest.ai.cloud-c-region',
  'without a simulator the official addresses are asked',
  async () => {
    await using desk = await openAiDesk();
    using _ = setVariables(variables);
    await using official = createProviders({ clock: desk.clock, log: createLog('hub', 'silent') }, undefined);
    const urls = (['cloud_a', 'cloud_b', 'cloud_c'] as const).map((provider) => {
      desk.choose(provider, { region: 'eu-central-1', localEndpoint: elsewhere });
      return official.providers[provider].buildRequest(desk.target(), smallPrompt).url;
    });
    expect(urls).toEqual([
      'https://api.anthropic.com/v1/messages',
      'https://api.openai.com/v1/responses',
      'https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.anthropic.claude-sonnet-5/converse',
    ]);
  },
);

verifies(
  'rest.ai.fixed-endpoints rest.ai.cloud-c-region',
  'no variable of AWS sends a request elsewhere or to another region',
  async () => {
    await using desk = await openAiDesk();
    using _ = setVariables(variables);
    desk.choose('cloud_c');
    expect((await desk.ask()).answer.text).toBe('There were 12 connections.');
    expect(await desk.providers.cloud_c.models(desk.target(), new AbortController().signal)).not.toEqual([]);
    for (const { headers } of desk.ai.requests()) {
      expect(headers.authorization).toContain('/us-east-1/bedrock/aws4_request');
    }
  },
);
