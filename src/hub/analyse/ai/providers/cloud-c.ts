// `cloud_c`: AWS Bedrock, by its Converse API and the clients of AWS.
import type {
  BedrockRuntimeClient,
  ConverseCommandInput,
  ConverseCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { limits } from '#contract/limits.ts';
import type { AiUrls } from '../../../base/settings/ai-urls.ts';
import { getServiceUrl } from './addresses.ts';
import type { Clients, Use } from './bedrock/clients.ts';
import { toProviderError } from './bedrock/failure.ts';
import type { BedrockLists } from './bedrock/lists.ts';
import { countPaidOnSuccess } from './exchange.ts';
import { createAnswerFilteredError, createAnswerRefusedError, createNoTextError, inSettings } from './failure.ts';
import type { ModelAnswer, OutgoingRequest, Provider, SendNotices, Target, Usage } from './provider.ts';
import { parseUsage } from './usage.ts';

interface CloudCOptions {
  urls: AiUrls | undefined;
  clients: Clients;
  lists: BedrockLists;
  /** Epoch milliseconds. */
  now: () => number;
}

/** What a request says besides its model, in the order in which the client writes it. */
type Input = Omit<ConverseCommandInput, 'modelId'>;

export function createCloudC({ urls, clients, lists, now }: CloudCOptions): Provider {
  return {
    buildRequest({ region, model, guardrail }, { system, turns }) {
      const input: Input = {
        messages: turns.map(({ role, text }) => ({ role, content: [{ text }] })),
        system: [{ text: system }],
        inferenceConfig: { maxTokens: limits.aiOutputTokens },
        ...(guardrail && {
          guardrailConfig: { guardrailIdentifier: guardrail.id, guardrailVersion: guardrail.version },
        }),
      };
      const url = `${getServiceUrl('cloud_c_runtime', urls, region)}/model/${encodeURIComponent(model)}/converse`;
      return { url, body: JSON.stringify(input) };
    },
    async send(target, request, signal, notices) {
      const answer = await converse(clients, { target, request, signal, notices }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw toProviderError(target, error, now());
      });
      const usage = parseUsageMember(answer.usage);
      notices.onUsage(usage);
      return parseAnswer(target, answer, usage);
    },
    models: ({ region }, signal) => lists.models(region, signal),
  };
}

async function converse(
  clients: Clients,
  asked: { target: Target; request: OutgoingRequest; signal: AbortSignal; notices: SendNotices },
): Promise<ConverseCommandOutput> {
  const { ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime');
  const { target, request, signal, notices } = asked;
  const command = new ConverseCommand({ modelId: target.model, ...(JSON.parse(request.body) as Input) });
  const use: Use<BedrockRuntimeClient, ConverseCommandOutput> = (client) =>
    client.send(command, { abortSignal: signal });
  return clients.runtime(target.region, { signal, onSent: notices.onSent, onStatus: countPaidOnSuccess(notices) }, use);
}

function parseAnswer(target: Target, { output, stopReason }: ConverseCommandOutput, usage: Usage | null): ModelAnswer {
  const blocks = output?.message?.content ?? [];
  const text = blocks
    .map((block) => block.text ?? '')
    .join('')
    .trim();
  if (stopReason === 'guardrail_intervened') {
    const refusal = 'the guardrail of AWS Bedrock blocked the question or the answer';
    throw createAnswerRefusedError(
      target,
      refusal,
      `look at its rules in AWS, or choose another one, or none, ${inSettings}`,
    );
  }
  if (stopReason === 'content_filtered') {
    throw createAnswerFilteredError(target);
  }
  const isAtLimit = stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
  if (text === '') {
    throw createNoTextError(target, isAtLimit, usage?.output ?? null);
  }
  return { text, truncated: isAtLimit, usage };
}

function parseUsageMember(usage: ConverseCommandOutput['usage']): Usage | null {
  const counts = {
    input: usage?.inputTokens,
    output: usage?.outputTokens,
    total: usage?.totalTokens,
    cacheRead: usage?.cacheReadInputTokens,
    cacheWrite: usage?.cacheWriteInputTokens,
  };
  return parseUsage(counts, false);
}
