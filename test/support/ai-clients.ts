// The official clients of the AI providers, at a simulator, without retries of their own.
import Anthropic, { type ClientOptions as AnthropicOptions } from '@anthropic-ai/sdk';
import { BedrockClient, type BedrockClientConfig } from '@aws-sdk/client-bedrock';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI, { type ClientOptions as OpenAiOptions } from 'openai';
import type { AiSimulator } from '#simulators/ai/ai.ts';

const timeout = 20_000;

/** The client of OpenAI at the OpenAI-compatible server. */
export function localClient({ urls }: AiSimulator): OpenAI {
  return new OpenAI({ apiKey: 'none', baseURL: `${urls.local}/v1`, maxRetries: 0, timeout });
}

export function openAiClient({ urls, keys }: AiSimulator, more: OpenAiOptions = {}): OpenAI {
  return new OpenAI({ apiKey: keys.cloud_b, baseURL: `${urls.cloud_b}/v1`, maxRetries: 0, timeout, ...more });
}

export function anthropicClient({ urls, keys }: AiSimulator, more: AnthropicOptions = {}): Anthropic {
  return new Anthropic({ apiKey: keys.cloud_a, baseURL: urls.cloud_a, maxRetries: 0, timeout, ...more });
}

/** Both clients of Bedrock over HTTP/1.1; the runtime alone would begin with HTTP/2. They close with `using`. */
export function bedrockClients({ urls, keys, region }: AiSimulator, more: BedrockClientConfig = {}) {
  const requestHandler = new NodeHttpHandler({ requestTimeout: timeout });
  const { accessKeyId, secretAccessKey } = keys;
  const config = { region, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1, requestHandler, ...more };
  const control = new BedrockClient({ ...config, endpoint: urls.cloud_c_control });
  const runtime = new BedrockRuntimeClient({ ...config, endpoint: urls.cloud_c_runtime });
  return {
    control,
    runtime,
    [Symbol.dispose]() {
      control.destroy();
      runtime.destroy();
    },
  };
}
