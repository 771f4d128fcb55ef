// The incidents of a run: each begins, lasts some steps, and is over. What it changes of what the hub must hold is said
// to the model here.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ClientError } from '#kernel/http/client.ts';
import { hourMs } from '#kernel/time/time.ts';
import { failFiles } from '../../support/failing-files.ts';
import { refuseInserts } from '../../support/held-writes.ts';
import type { Home, HomeRouter } from './home.ts';
import { count, rollBack } from './model.ts';
import type { Incident } from './plan.ts';
import { destinations, type Traffic } from './traffic.ts';

/** How the world is now, besides what the model says. */
export interface State {
  isUp: boolean;
  isAgentAway: boolean;
  areRowsRefused: boolean;
  /** Routers whose tables are cut short. */
  readonly cut: Set<HomeRouter>;
  feedsWellSince: number;
  chatWellSince: number;
  /** Instants in which no generation is to be restored: it holds what refuses rows. */
  readonly tainted: { from: number; to: number }[];
  /** What ends what goes on, by what it is about, with the step it is to end in. */
  readonly under: Map<string, { until: number; end(): Promise<void> | void }>;
}

export interface Scene {
  home: Home;
  traffic: Traffic;
  state: State;
  tick: number;
}

export function createState(now: number): State {
  return {
    ...{ isUp: true, isAgentAway: false, areRowsRefused: false, cut: new Set(), tainted: [], under: new Map() },
    ...{ feedsWellSince: now, chatWellSince: now },
  };
}

/** Ends what is over by the step `tick`. */
export async function endDue({ state, tick }: Scene): Promise<void> {
  for (const [about, { until, end }] of [...state.under]) {
    if (until <= tick) {
      state.under.delete(about);
      await end();
    }
  }
}

/** Resolves to a word for the report, null when the incident cannot happen now. */
export async function begin(incident: Incident, scene: Scene): Promise<string | null> {
  const begun = await (acts[incident.what] as (one: Incident, scene: Scene) => Promise<boolean> | boolean)(
    incident,
    scene,
  );
  return begun ? incident.what : null;
}

type Acts = {
  [W in Incident['what']]: (incident: Extract<Incident, { what: W }>, scene: Scene) => Promise<boolean> | boolean;
};

const acts: Acts = {
  'router-away'({ router: index, how, ticks }, { home, state, tick }) {
    const away = home.routers[index] as HomeRouter;
    const about = `router ${index}`;
    if (state.under.has(about)) {
      return false;
    }
    const router = away.simulator;
    router.fail(how);
    if (how === 'truncated') {
      state.cut.add(away);
    } else {
      router.kick();
    }
    state.under.set(about, {
      until: tick + ticks,
      end() {
        router.clearFaults();
        state.cut.delete(away);
      },
    });
    return true;
  },
  async 'router-reboots'({ router: index }, { home, traffic, state }) {
    const router = home.routers[index] as HomeRouter;
    if (state.under.has(`router ${index}`)) {
      return false;
    }
    await router.simulator.reboot();
    traffic.forget(router);
    return true;
  },
  'feeds-away'({ how, ticks }, { home, state, tick }) {
    if (state.under.has('feeds')) {
      return false;
    }
    home.feeds.fail(how, how === 'too-many' ? { value: 900 } : {});
    state.feedsWellSince = Number.POSITIVE_INFINITY;
    const end = () => {
      home.feeds.clearFaults();
      state.feedsWellSince = home.lab.clock.now();
    };
    state.under.set('feeds', { until: tick + ticks, end });
    return true;
  },
  'chat-away'({ how, ticks }, { home, state, tick }) {
    if (state.under.has('chat')) {
      return false;
    }
    home.chat.fail(how);
    state.chatWellSince = Number.POSITIVE_INFINITY;
    const end = () => {
      home.chat.clearFaults();
      state.chatWellSince = home.lab.clock.now();
    };
    state.under.set('chat', { until: tick + ticks, end });
    return true;
  },
  'agent-away'({ ticks }, { state, tick }) {
    if (state.isAgentAway) {
      return false;
    }
    state.isAgentAway = true;
    const end = () => {
      state.isAgentAway = false;
    };
    state.under.set('agent', { until: tick + ticks, end });
    return true;
  },
  async restart({ what: _ }, scene) {
    await stopHub(scene);
    await startHubAgain(scene);
    return true;
  },
  async 'hub-away'({ ticks }, scene) {
    const { home, state, tick } = scene;
    const away = { from: home.lab.clock.now(), to: Number.POSITIVE_INFINITY };
    home.model.backupless.push(away);
    await stopHub(scene);
    const end = async () => {
      away.to = home.lab.clock.now();
      await startHubAgain(scene);
    };
    state.under.set('hub', { until: tick + ticks, end });
    return true;
  },
  async restore({ choice }, { home, state }) {
    const { lab, model } = home;
    const { backups } = await lab.as.admin.backup.list({});
    const usable = backups
      .map(({ name, created }) => ({ name, madeAt: Date.parse(created) }))
      .filter(({ madeAt }) => !state.tainted.some(({ from, to }) => madeAt >= from && madeAt <= to));
    const chosen = usable[choice % Math.max(1, usable.length)];
    if (chosen === undefined || state.under.has('backups')) {
      return false;
    }
    await lab.as.admin.backup.restore({ body: { name: chosen.name } });
    rollBack(model, chosen.madeAt, lab.clock.now());
    count(model, 'backup_restored');
    state.feedsWellSince = Math.max(state.feedsWellSince, lab.clock.now());
    return true;
  },
  async 'rows-refused'({ what: _ }, { home, state, tick }) {
    const { lab } = home;
    const accept = await refuseInserts(lab, 'flow_hour');
    const refused = { from: lab.clock.now(), to: Number.POSITIVE_INFINITY };
    state.areRowsRefused = true;
    state.tainted.push(refused);
    const end = async () => {
      await accept();
      state.areRowsRefused = false;
      refused.to = lab.clock.now();
    };
    state.under.set('rows', { until: tick + 1, end });
    return true;
  },
  async 'settings-refused'({ what: _ }, { home: { lab, model } }) {
    using _failing = failFiles(lab.dataDir, { at: 1, error: 'ENOSPC', count: Number.POSITIVE_INFINITY });
    try {
      await lab.as.admin.config.saveGeneral({ body: { homeCountry: model.homeCountry === 'JP' ? 'DE' : 'JP' } });
    } catch (error) {
      if (error instanceof ClientError && error.status >= 500) {
        return true;
      }
      throw error;
    }
    throw new Error('the hub says that it saved its settings, and its disk is full');
  },
  'backups-away'({ ticks }, { home: { lab, model }, state, tick }) {
    const folder = path.join(lab.dataDir, 'backups');
    const aside = path.join(lab.dataDir, 'backups-aside');
    if (state.under.has('backups') || !existsSync(folder)) {
      return false;
    }
    const away = { from: lab.clock.now(), to: Number.POSITIVE_INFINITY };
    model.backupless.push(away);
    renameSync(folder, aside);
    writeFileSync(folder, 'a disk that is not there');
    const end = () => {
      rmSync(folder);
      renameSync(aside, folder);
      away.to = lab.clock.now();
    };
    state.under.set('backups', { until: tick + ticks, end });
    return true;
  },
  'clock-jumps'({ hours }, { home: { lab } }) {
    lab.clock.jump(lab.clock.now() + hours * hourMs);
    return true;
  },
  'newly-listed'({ choice }, { home: { lab, feeds, model } }) {
    const ip = destinations[choice % destinations.length] as string;
    if (!model.listed.has(ip)) {
      feeds.list('c2', [...feeds.rows('c2'), { ip, port: 443 }]);
      model.listed.set(ip, lab.clock.now());
    }
    return true;
  },
};

async function stopHub({ home: { lab, model }, state }: Scene): Promise<void> {
  await lab.stop();
  state.isUp = false;
  const last = model.running.at(-1);
  if (last) {
    last.to = lab.clock.now();
  }
}

async function startHubAgain({ home: { lab, model }, state }: Scene): Promise<void> {
  await lab.restart();
  await lab.settled();
  state.isUp = true;
  state.feedsWellSince = Math.max(state.feedsWellSince, lab.clock.now());
  model.running.push({ from: lab.clock.now(), to: Number.POSITIVE_INFINITY });
}
