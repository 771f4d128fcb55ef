// `local`: a server of the network with the API that OpenAI began (Ollama, LM Studio, llama.cpp).
import type { Dispatcher } from 'undici';
import { limits } from '#contract/limits.ts';
import { lookupOutside } from '#kernel/net/forbidden-target.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { isCut } from './cut-prompt.ts';
import { localUrl } from './endpoint.ts';
import { exchange, sendQuestion } from './exchange.ts';
import { answerFiltered, answerRefused, noText, promptCut } from './failure.ts';
import { type JsonObject, objectIn, objectsIn, parseObject, textIn } from './json.ts';
import { textModels } from './model-names.ts';
import type { ModelAnswer, OutgoingRequest, Provider, Target, Usage } from './provider.ts';
import { usageOf } from './usage.ts';

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
    requestOf: ({ endpoint, model }, { system, turns }) => ({
      url: localUrl(endpoint, '/chat/completions'),
      body: JSON.stringify({
        model,
        messages: [{ role: 'system', content: system }, ...turns.map(({ role, text }) => ({ role, content: text }))],
        max_tokens: limits.aiOutputTokens,
        stream: false,
      }),
    }),
    async send(target, request, signal, notices) {
      const asked = { whom: target, ...request, headers: {}, signal, dispatcher: await dispatcher(), notices };
      const read = (answer: JsonObject, usage: Usage | null) => answerOf({ target, request }, answer, usage);
      return sendQuestion(clock, asked, { usage: readUsage, answer: read });
    },
    async models(target, signal) {
      const url = localUrl(target.endpoint, '/models');
      const listed = await exchange(clock, { whom: target, url, headers: {}, signal, dispatcher: await dispatcher() });
      return textModels(objectsIn(listed, 'data').map(({ id }) => id));
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

function answerOf(
  { target, request }: { target: Target; request: OutgoingRequest },
  answer: JsonObject,
  usage: Usage | null,
): ModelAnswer {
  const [choice = {}] = objectsIn(answer, 'choices');
  const message = objectIn(choice, 'message');
  const isAtLimit = choice.finish_reason === 'length';
  const text = withoutThoughts(textIn(message, 'content'));
  if (choice.finish_reason === 'content_filter') {
    throw answerFiltered(target);
  }
  if (textIn(message, 'refusal') !== '') {
    throw answerRefused(target);
  }
  if (usage && isCut(textBytes(request), usage.input)) {
    throw promptCut(target);
  }
  if (text === '' || (isAtLimit && text.length < 2)) {
    throw noText(target, isAtLimit, usage?.output ?? null);
  }
  return { text, truncated: isAtLimit, usage };
}

function readUsage(answer: JsonObject): Usage | null {
  const usage = objectIn(answer, 'usage');
  const { cached_tokens } = objectIn(usage, 'prompt_tokens_details');
  const told = { input: usage.prompt_tokens, output: usage.completion_tokens, total: usage.total_tokens };
  return usageOf({ ...told, cacheRead: cached_tokens }, true);
}

/** Some models write what they think in front of the answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?(?:<\/think>|$)/, '').trim();
}

/** UTF-8 bytes of the texts in the request. */
function textBytes({ body }: OutgoingRequest): number {
  const messages = objectsIn(parseObject(body) ?? {}, 'messages');
  return messages.reduce((sum, message) => sum + Buffer.byteLength(textIn(message, 'content')), 0);
}
