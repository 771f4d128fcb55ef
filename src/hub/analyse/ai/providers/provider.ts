// The interface of all AI providers: build a request, send it, list the models.
import type { AiProviderName } from '#contract/ai-records.ts';
import type { Prompt } from '../prompt.ts';

/** The provider as it was chosen when a request began: later changes of the settings do not change it. */
export interface Target {
  provider: AiProviderName;
  /** Empty where none is needed. */
  model: string;
  /** In clear text; empty where the hub stores none. */
  key: string;
  /** Only for `local`: http or https, without a slash at the end. */
  endpoint: string;
  /** Only for `cloud_c`, which is AWS Bedrock. */
  region: string;
  /** Only for `cloud_c`: the content filter that AWS applies; null for none. */
  guardrail: { id: string; version: string } | null;
}

/** A POST request with a JSON body, exactly as it is shown to a person. `send` adds the credentials. */
export interface OutgoingRequest {
  url: string;
  body: string;
}

/** Tokens that the provider counted. `input` contains those that it read from a cache or wrote to one. */
export interface Usage {
  input: number;
  output: number;
  total: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface ModelAnswer {
  /** Not empty. */
  text: string;
  /** The answer was cut at the limit of its length. */
  truncated: boolean;
  /** Null when the answer holds no usage that can be read. */
  usage: Usage | null;
}

/** Callbacks during a request, so that usage is recorded even when the request fails later. */
export interface SendNotices {
  /** Called when the connection stands and the request begins to leave. */
  onSent: () => void;
  /**
   * Called with null when a successful answer begins, which counts as paid from then on. Called again with the usage
   * when the answer is complete, before its text is examined.
   */
  onUsage: (usage: Usage | null) => void;
}

export interface Provider {
  /** The request for `prompt`. Sends nothing. */
  buildRequest(target: Target, prompt: Prompt): OutgoingRequest;
  /**
   * Rejects with the reason of the signal, or with an AppError (`ai_…`) whose message says what to do.
   */
  send(target: Target, request: OutgoingRequest, signal: AbortSignal, notices: SendNotices): Promise<ModelAnswer>;
  /** Names of models that generate text, sorted, 200 at most. Rejects like `send`. */
  models(target: Target, signal: AbortSignal): Promise<string[]>;
}

export type Providers = Readonly<Record<AiProviderName, Provider>>;
