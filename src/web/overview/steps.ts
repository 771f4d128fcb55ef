// The first steps of a new hub and which of them are done, as the hub says. A step that the user may not take is left out.
import { ask } from '../api/client.ts';
import { type Loaded, useLoaded } from '../state/loaded.ts';
import { unwantedSteps } from '../state/preferences.ts';
import type { useRouters } from '../state/routers.ts';
import { may } from '../state/session.ts';
import { hrefTo, type Parameter } from '../state/url.ts';
import type { StartDictionary } from '../text/start/en.ts';

export interface Step {
  name: keyof StartDictionary['steps'];
  isDone: boolean;
  href: string;
}

type Facts = { readonly [N in Step['name']]?: boolean };

async function loadFacts(signal: AbortSignal): Promise<Facts> {
  const settings = async (): Promise<Facts> => {
    const [feeds, chat, backups] = await Promise.all([
      ask('GET /api/config/threat-feeds', {}, signal),
      ask('GET /api/config/chat', {}, signal),
      ask('GET /api/backup/list', {}, signal),
    ]);
    const { enabled, tokenSet, userId } = chat.config;
    return {
      key: feeds.authKeySet,
      chat: enabled && tokenSet && userId !== '',
      backup: backups.diagnostics.entries.length > 0,
    };
  };
  const admin = async (): Promise<Facts> => {
    const [status, { agents }] = await Promise.all([
      ask('GET /api/status', {}, signal),
      ask('GET /api/agents', {}, signal),
    ]);
    return { password: status.isPasswordInitial !== true, agent: agents.length > 0 };
  };
  const [one, other] = await Promise.all([may('settings.write') ? settings() : {}, may('auth.admin') ? admin() : {}]);
  return { ...one, ...other };
}

const places: Readonly<Record<Step['name'], Readonly<Record<string, Parameter>>>> = {
  router: { section: 'routers', add: '1' },
  poll: { section: 'routers' },
  key: { section: 'feeds' },
  chat: { section: 'chat' },
  password: { section: 'sign-in' },
  backup: { section: 'backups' },
  agent: { section: 'agents' },
};

/** Empty when there is nothing to show: all is done, put away, or not known; undefined until the hub has answered. */
export function useSteps(routers: ReturnType<typeof useRouters>): readonly Step[] | undefined {
  const isWanted = may('settings.write') && !unwantedSteps.value.includes('all');
  const { value, error }: Loaded<Facts> = useLoaded(String(isWanted), async (signal) =>
    isWanted ? loadFacts(signal) : {},
  );
  if (!isWanted || error !== null || (routers.value === null && routers.error !== null)) {
    return [];
  }
  if (value === null || routers.value === null) {
    return undefined;
  }
  const facts: Facts = {
    router: routers.value.length > 0,
    poll: routers.value.some(({ lastSuccessAt }) => lastSuccessAt !== null),
    ...value,
  };
  const steps = (Object.keys(places) as Step['name'][]).flatMap((name) => {
    const isDone = facts[name];
    return isDone === undefined || unwantedSteps.value.includes(name)
      ? []
      : [{ name, isDone, href: hrefTo('settings', places[name]) }];
  });
  return steps.every(({ isDone }) => isDone) ? [] : steps;
}
