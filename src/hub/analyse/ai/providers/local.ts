// `local`: a server of the network with the API that OpenAI began (Ollama, LM Studio, llama.cpp).
import type { Dispatcher } from 'undici';
import { limits } from '#contract/limits.ts';
import { lookupOutside } from '#kernel/net/forbidden-target.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { isPromptCut } from './cut-prompt.ts';
import { buildLocalUrl } from './endpoint.ts';
import { exchange, sendQuestion } from './exchange.ts';
import {
  createAnswerFilteredError,
  createAnswerRefusedError,
  createNoTextError,
  createPromptCutError,
} from './failure.ts';
import { type JsonObject, parseObject, readObject, readObjects, readText } from './json.ts';
import { selectTextModels } from './model-names.ts';
import type { ModelAnswer, OutgoingRequest, Provider, Target, Usage } from './provider.ts';
import { parseUsage } from './usage.ts';

export function createLocal(clock: Clock): Provider & AsyncDisposable {
  let opened: Promise<Dispatcher> | null = null;
  const dispatcher = () => {
    opened ??= openDispatcher().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    buildRequest: ({ endpoint, model }, { system, turns }) => ({
      url: buildLocalUrl(endpoint, '/chat/completions'),
      body: JSON.stringify({
        model,
        messages: [{ role: 'system', content: system }, ...turns.map(({ role, text }) => ({ role, content: text }))],
        max_tokens: limits.aiOutputTokens,
        stream: false,
      }),
    }),
    async send(target, request, signal, notices) {
      const asked = { recipient: target, ...request, headers: {}, signal, dispatcher: await dispatcher(), notices };
      const read = (answer: JsonObject, usage: Usage | null) => parseAnswer({ target, request }, answer, usage);
      return sendQuestion(clock, asked, { usage: parseUsageMember, answer: read });
    },
    async models(target, signal) {
      const url = buildLocalUrl(target.endpoint, '/models');
      const listed = await exchange(clock, {
        recipient: target,
        url,
        headers: {},
        signal,
        dispatcher: await dispatcher(),
      });
      return selectTextModels(readObjects(listed, 'data').map(({ id }) => id));
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.destroy();
    },
  };
}

/** A name is resolved once for a connection, and the connection goes to the address that was looked at. */
async function openDispatcher(): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({ connect: { lookup: lookupOutside(true) }, connections: 2 });
}

function parseAnswer(
  { target, request }: { target: Target; request: OutgoingRequest },
  answer: JsonObject,
  usage: Usage | null,
): ModelAnswer {
  const [choice = {}] = readObjects(answer, 'choices');
  const message = readObject(choice, 'message');
  const isAtLimit = choice.finish_reason === 'length';
  const text = removeThoughts(readText(message, 'content'));
  if (choice.finish_reason === 'content_filter') {
    throw createAnswerFilteredError(target);
  }
  if (readText(message, 'refusal') !== '') {
    throw createAnswerRefusedError(target);
  }
  if (usage && isPromptCut(countTextBytes(request), usage.input)) {
    throw createPromptCutError(target);
  }
  if (text === '' || (isAtLimit && text.length < 2)) {
    throw createNoTextError(target, isAtLimit, usage?.output ?? null);
  }
  return { text, truncated: isAtLimit, usage };
}

function parseUsageMember(answer: JsonObject): Usage | null {
  const usage = readObject(answer, 'usage');
  const { cached_tokens } = readObject(usage, 'prompt_tokens_details');
  const counts = { input: usage.prompt_tokens, output: usage.completion_tokens, total: usage.total_tokens };
  return parseUsage({ ...counts, cacheRead: cached_tokens }, true);
}

/** Some models write what they think in front of the answer. */
function removeThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?(?:<\/think>|$)/, '').trim();
}

/** UTF-8 bytes of the texts in the request. */
function countTextBytes({ body }: OutgoingRequest): number {
  const messages = readObjects(parseObject(body) ?? {}, 'messages');
  return messages.reduce((sum, message) => sum + Buffer.byteLength(readText(message, 'content')), 0);
}
