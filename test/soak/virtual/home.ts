// What a run in virtual time goes through: a hub on a clock that is moved, two routers, feeds, a chat workspace, a model
// server, an Agent, and the traffic of the home.
import { hourMs } from '#kernel/time/time.ts';
import { type AiSimulator, startAi } from '#simulators/ai/ai.ts';
import { type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { type FeedsSimulator, startFeeds } from '#simulators/feeds/feeds.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type EnrolledAgent, enrolAgent } from '../../support/agents.ts';
import { aiChoice, awsCredentials } from '../../support/ai-lab.ts';
import { type Lab, recordOf, startLab } from '../../support/lab.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createModel, type Model } from './model.ts';
import { findBegin, homeZone, tickMs } from './plan.ts';

export interface HomeRouter {
  /** The id the hub gave it. */
  readonly id: string;
  readonly simulator: RouterSimulator;
  /** Addresses of its hosts. */
  readonly hosts: readonly string[];
}

export interface Home extends AsyncDisposable {
  readonly lab: Lab<never>;
  readonly routers: readonly HomeRouter[];
  readonly feeds: FeedsSimulator;
  readonly chat: ChatSimulator;
  readonly ai: AiSimulator;
  readonly agent: EnrolledAgent;
  readonly model: Model;
}

const hostsOfRouter = 6;
const generations = 5;

export async function startHome(seed: number, days: number): Promise<Home> {
  await using opened = new AsyncDisposableStack();
  const clock = new ManualClock(findBegin(seed, days));
  const feeds = opened.use(await startFeeds({ clock }));
  const chat = opened.use(await startChat({ clock }));
  const ai = opened.use(await startAi({ clock }));
  opened.use(awsCredentials(ai));
  const sessionTtlDays = Math.max(1, Math.round(days / 6));
  const hub = {
    scheduledBackups: true,
    ...{ pollIntervalMs: tickMs, routerSettleMs: 4, sessionTtlDays, chatApiUrl: chat.url, aiUrls: ai.urls },
    ...{ threatFeeds: true, threatMirror: feeds.url },
  };
  const lab = opened.use(await startLab({ hub, clock }));
  const simulators: RouterSimulator[] = [];
  for (const [index, kind] of (['vendor_a', 'vendor_b'] as const).entries()) {
    const hosts = Array.from({ length: hostsOfRouter }, (_, host) => ({
      ...{ name: `host-${index}-${host}`, apps: [], lease: 'dynamic' as const, client: 'mac' as const },
      mac: `00:00:5e:00:53:${index}${host}`,
    }));
    simulators.push(
      opened.use(
        await startRouter(kind, {
          clock,
          seed: seed * 2 + index,
          hosts,
          settings: describeLan(index),
          idleMs: 3 * tickMs,
        }),
      ),
    );
  }
  const retentionDays = 7;
  const model = createModel({ retentionDays, sessionTtlMs: sessionTtlDays * 24 * hourMs, intervalMs: tickMs });
  await setUp({ lab, feeds, chat, ai, retentionDays });
  const agent = await enrolAgent(lab);
  const routers: HomeRouter[] = [];
  for (const [index, simulator] of simulators.entries()) {
    const { router } = await lab.as.admin.routers.create({ body: recordOf(simulator, `Router ${index + 1}`) });
    const network = simulator.settings.lanAddress.replace(/\d+$/, '');
    const hosts = Array.from({ length: hostsOfRouter }, (_, host) => `${network}${2 + host}`);
    routers.push({ id: router.id, simulator, hosts });
    for (const host of hosts.keys()) {
      model.macs.add(`00:00:5e:00:53:${index}${host}`);
    }
  }
  await lab.settled();
  model.running.push({ from: clock.now(), to: Number.POSITIVE_INFINITY });
  model.homeCountry = (await lab.as.admin.config.general({})).homeCountry;
  const all = opened.move();
  return { lab, routers, feeds, chat, ai, agent, model, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Two networks, so that the routers see nothing of each other. */
function describeLan(index: number) {
  return { lanAddress: `192.168.${100 + index}.1`, lanPrefix: 24 };
}

async function setUp(parts: Pick<Home, 'lab' | 'feeds' | 'chat' | 'ai'> & { retentionDays: number }): Promise<void> {
  const { lab, feeds, chat, ai, retentionDays } = parts;
  const { admin } = lab.as;
  await admin.config.saveGeneral({ body: { retentionDays } });
  await admin.backup.config({ body: { intervalHours: 24, maxGenerations: generations, autoPrune: true } });
  await admin.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
  const { token, userId } = chat.credentials;
  await admin.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
  await admin.ai.saveConfig({ body: aiChoice('local', ai) });
  await admin.ai.saveNotificationConfig({
    body: {
      ...{ frequency: 'daily', weekday: 0, time: '02:30', timezone: homeZone, rangeHours: 24 },
      destinations: { ui: true, chat: false },
      rules: { scheduled: true, danger: false, newDestination: false, increase: false },
      threat: { enabled: false, dangerThreshold: 1, newDestinationsThreshold: 1, increaseThreshold: 3 },
      ...{ dailyLimit: 6, cooldownMinutes: 15, automationConsent: true },
    },
  });
}

export const mostGenerations = generations;
