// What every provider does: make a request, send it, list its models.
import type { AiProviderName } from '#contract/ai-records.ts';
import type { Prompt } from '../prompt.ts';

/** The provider as it was chosen when a request began: later changes of the settings do not change it. */
export interface Target {
  provider: AiProviderName;
  /** Empty where none is needed. */
  model: string;
  /** In clear text; empty where the hub stores none. */
  key: string;
  /** Of `local`: http or https, without a slash at the end. */
  endpoint: string;
  /** Of `cloud_c`. */
  region: string;
  /** Of `cloud_c`; null: none is applied. */
  guardrail: { id: string; version: string } | null;
}

/** A POST request with a JSON body: what a person reads is what is sent. Credentials are added when it is sent. */
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

/** Notices of a request that is under way: what it used is known however it ends. */
export interface SendNotices {
  /** There is a connection, and the request begins to leave. */
  onSent: () => void;
  /**
   * The provider began to answer with success: the answer counts as paid. Called with null then, and again when the answer is
   * whole and says what it used, before its text is looked at.
   */
  onUsage: (usage: Usage | null) => void;
}

export interface Provider {
  /** The request for `prompt`. Sends nothing. */
  buildRequest(target: Target, prompt: Prompt): OutgoingRequest;
  /**
   * Rejects with AppError `ai_key_rejected`, `ai_limited`, `ai_model_unknown`, `ai_answer_refused`, `ai_prompt_cut`, `ai_failed`
   * or `ai_timeout`, whose message says what to do, and with the reason of the signal.
   */
  send(target: Target, request: OutgoingRequest, signal: AbortSignal, notices: SendNotices): Promise<ModelAnswer>;
  /** Names of models that generate text, sorted, 200 at most. Rejects as `send`. */
  models(target: Target, signal: AbortSignal): Promise<string[]>;
}

export type Providers = Readonly<Record<AiProviderName, Provider>>;
