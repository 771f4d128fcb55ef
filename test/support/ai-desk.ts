// The one place for a generation, over a database and the simulated providers, without a hub around it.
import path from 'node:path';
import type { AiProviderName } from '#contract/ai-records.ts';
import { type AiSettings, resolveQuestionTarget } from '#hub/analyse/ai/choice.ts';
import { type Answer, createGenerations, type Generations, type Question } from '#hub/analyse/ai/generations.ts';
import type { PriceList } from '#hub/analyse/ai/pricing/price.ts';
import type { Prompt } from '#hub/analyse/ai/prompt.ts';
import type { Providers, Target } from '#hub/analyse/ai/providers/provider.ts';
import { createProviders } from '#hub/analyse/ai/providers/providers.ts';
import { createAuditTrail } from '#hub/base/auth/audit.ts';
import type { AuditEvent } from '#hub/base/auth/audit-row.ts';
import { toActor } from '#hub/base/auth/principal.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { createLog } from '#kernel/process/log.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import { type AiOptions, type AiSimulator, startAi } from '#simulators/ai/ai.ts';
import { aiModels, awsCredentials } from './ai-lab.ts';
import { readAuditPage } from './audit-page.ts';
import { ManualClock } from './manual-clock.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface AiDesk extends AsyncDisposable {
  readonly ai: AiSimulator;
  readonly clock: ManualClock;
  readonly db: Db;
  readonly providers: Providers;
  readonly generations: Generations;
  settings: AiSettings;
  /** Chooses a provider with model, key, region and consent. */
  choose(provider: AiProviderName, more?: Partial<AiSettings>): void;
  target(): Target;
  /** Asks the chosen provider and stores nothing besides the usage. */
  ask(prompt?: Prompt, more?: Partial<Question<undefined>>): Promise<{ answer: Answer }>;
  /** The events of the audit trail, the oldest first. */
  audited(): Promise<AuditEvent[]>;
  /** The rows of ai_usage, in the order in which they were written. */
  used(): Record<string, unknown>[];
}

/** What of a price list tests need: nothing is priced but what they say. */
export const noPrices: PriceList = { version: '2026-11-01', find: () => null };

/** A short question with facts that the simulator reads. */
export const smallPrompt: Prompt = {
  system: 'You explain a network.',
  turns: [{ role: 'user', text: 'What happened?\n<facts>\n{"current":{"connections":12}}\n</facts>' }],
};

export async function openAiDesk(options: { prices?: PriceList; ai?: AiOptions } = {}): Promise<AiDesk> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const ai = opened.use(await startAi(options.ai));
  opened.use(awsCredentials(ai));
  const clock = new ManualClock();
  const db = opened.adopt(openDatabase(path.join(folder.path, 'monitor.db')), (open) => open.close());
  const { providers, ...rest } = createProviders({ clock, log: createLog('hub', 'silent') }, ai.urls);
  opened.defer(() => rest[Symbol.asyncDispose]());
  const prices = options.prices ?? noPrices;
  const key = '00'.repeat(32);
  const audit = opened.use(createAuditTrail({ clock, db, log: createLog('hub', 'silent'), key }));
  const generations = createGenerations({
    clock,
    db,
    log: createLog('hub', 'silent'),
    offline: false,
    settings: () => desk.settings,
    providers,
    prices,
    auth: { audit, toActor },
  });
  const desk: AiDesk = {
    ...{ ai, clock, db, providers, generations, settings: emptySettings().ai },
    choose(provider, more = {}) {
      desk.settings = {
        ...desk.settings,
        provider,
        models: aiModels,
        keys: { cloud_a: ai.keys.cloud_a, cloud_b: ai.keys.cloud_b },
        consents: { cloud_a: true, cloud_b: true, cloud_c: true },
        localEndpoint: ai.urls.local,
        region: ai.region,
        ...more,
      };
    },
    target: () => resolveQuestionTarget(desk.settings, false),
    async ask(prompt = smallPrompt, more = {}) {
      using generation = generations.begin({ confirmed: true, caller: null });
      const request = generation.buildRequest(prompt);
      return await generation.ask({ kind: 'analysis', requestId: createId(), request, keep: () => undefined, ...more });
    },
    audited: async () => (await readAuditPage({ audit, db }, { limit: 100 })).events.toReversed(),
    used: () => db.prepare('SELECT * FROM ai_usage ORDER BY id').all() as Record<string, unknown>[],
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
  const whole = opened.move();
  return desk;
}
