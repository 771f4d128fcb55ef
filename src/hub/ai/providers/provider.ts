// What every provider does: make a request, send it, list its models. Its requests hold what is named here and nothing else.
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
  /** It ended at the limit of its length. */
  truncated: boolean;
  /** Null when the answer says nothing about it that can be read. */
  usage: Usage | null;
}

export interface Provider {
  /** The request for `prompt`. Makes nothing else. */
  requestOf(target: Target, prompt: Prompt): OutgoingRequest;
  /**
   * Sends it; `onSent` is called once there is a connection and it begins to leave. Rejects with AppError `ai_key_rejected`, `ai_limited`, `ai_model_unknown`, `ai_answer_refused`, `ai_prompt_cut`,
   * `ai_failed` or `ai_timeout`, whose message says what to do, and with the reason of the signal.
   */
  send(target: Target, request: OutgoingRequest, signal: AbortSignal, onSent: () => void): Promise<ModelAnswer>;
  /** Names of models that generate text, sorted, 200 at most. Rejects as `send`. */
  models(target: Target, signal: AbortSignal): Promise<string[]>;
}

export type Providers = Readonly<Record<AiProviderName, Provider>>;
