// A hub whose AI providers are simulated: the local server, Anthropic, OpenAI and AWS Bedrock, and credentials for AWS.
import type { AiChoice, AiProviderName } from '#contract/ai-records.ts';
import type { Api } from '#contract/index.ts';
import type { Client } from '#kernel/http/client.ts';
import { type AiOptions, type AiSimulator, startAi } from '#simulators/ai/ai.ts';
import { type Lab, type LabOptions, startLab } from './lab.ts';
import { watchLeaks } from './leak-guard.ts';

type SaveConfig = Parameters<Client<Api>['ai']['saveConfig']>[0]['body'];

export interface AiLabOptions<R extends string> extends LabOptions<R> {
  /** Chosen at the start, with model, key and consent; `disabled` when absent. */
  provider?: AiChoice;
  ai?: AiOptions;
}

export interface AiLab<R extends string = never> extends Lab<R> {
  readonly ai: AiSimulator;
  /** Chooses a provider with its model, key and consent; `more` is saved with it. */
  choose(provider: AiChoice, more?: SaveConfig): Promise<void>;
  /** The requests that the providers received, as `POST /cloud_a/v1/messages`. */
  asked(): string[];
}

/** What the simulator offers, one of each provider. */
export const aiModels: Readonly<Record<AiProviderName, string>> = {
  local: 'qwen3:8b',
  cloud_a: 'claude-sonnet-5-5',
  cloud_b: 'gpt-6-sol',
  cloud_c: 'us.anthropic.claude-sonnet-5',
};

export async function startAiLab<R extends string = never>(options: AiLabOptions<R> = {}): Promise<AiLab<R>> {
  const { provider = 'disabled', ai: aiOptions, hub, ...rest } = options;
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const ai = opened.use(await startAi(aiOptions));
  opened.use(awsCredentials(ai));
  const lab = opened.use(await startLab<R>({ ...rest, hub: { aiUrls: ai.urls, ...hub } }));
  const aiLab: Omit<AiLab<R>, keyof Lab<R>> = {
    ai,
    async choose(chosen, more = {}) {
      await lab.as.admin.ai.saveConfig({ body: { ...aiChoice(chosen, ai), ...more } });
    },
    asked: () => ai.requests().map(({ method, fullPath }) => `${method} ${fullPath}`),
  };
  if (provider !== 'disabled') {
    await aiLab.choose(provider);
  }
  const whole = opened.move();
  return Object.assign(Object.create(lab) as Lab<R>, aiLab, {
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  });
}

/** A contact of a device that ends before the next poll, which then shows it. */
export async function makeContact(lab: AiLab<'home'>, src: string, dst = '203.0.113.80'): Promise<void> {
  lab.routers.home.flow({ src, dst, dport: 443, proto: 'tcp', lastsMs: 90_000, ends: 'silent' });
  await lab.poll();
}

/** The requests to providers that generate. */
export function findQuestions({ ai }: Pick<AiLab, 'ai'>) {
  const isQuestion = /completions|messages|responses|converse/;
  return ai.requests().filter(({ method, path }) => method === 'POST' && isQuestion.test(path));
}

/** A POST with this body, whatever the contract says of it. */
export function postJson(lab: Pick<Lab<never>, 'as'>, path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  return lab.as.raw({ method: 'POST', path, headers, body: JSON.stringify(body) });
}

/** The body that chooses a simulated provider. */
export function aiChoice(provider: AiChoice, { urls, keys, region }: AiSimulator): SaveConfig {
  switch (provider) {
    case 'disabled':
      return { provider };
    case 'local':
      return { provider, models: { local: aiModels.local }, localEndpoint: urls.local };
    case 'cloud_c':
      return { provider, models: { cloud_c: aiModels.cloud_c }, region, cloudConsent: { cloud_c: true } };
    default:
      return {
        provider,
        models: { [provider]: aiModels[provider] },
        keys: { [provider]: keys[provider] },
        cloudConsent: { [provider]: true },
      };
  }
}

/** What the default chain of AWS finds first, and nothing besides it; `null` for keys: it finds none. */
export function awsCredentials({
  keys,
}: {
  keys: Pick<AiSimulator['keys'], 'accessKeyId' | 'secretAccessKey'> | null;
}) {
  const nowhere = '/nonexistent/aws';
  return setVariables({
    AWS_ACCESS_KEY_ID: keys?.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys?.secretAccessKey,
    AWS_SESSION_TOKEN: undefined,
    AWS_PROFILE: undefined,
    AWS_BEARER_TOKEN_BEDROCK: undefined,
    AWS_CONFIG_FILE: nowhere,
    AWS_SHARED_CREDENTIALS_FILE: nowhere,
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: undefined,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: undefined,
    AWS_WEB_IDENTITY_TOKEN_FILE: undefined,
    AWS_EC2_METADATA_DISABLED: 'true',
  });
}

/** Sets variables of the environment, or takes them away; disposing of it brings back what was there. */
export function setVariables(variables: Readonly<Record<string, string | undefined>>): Disposable {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  put(Object.entries(variables));
  return { [Symbol.dispose]: () => put(before) };
}

function put(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) {
      delete process.env[name];
    } else {
      process.env[name] = value;
    }
  }
}
