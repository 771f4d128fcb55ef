// What people change in the settings, several fields of a section at once and each alone.
import { findRegister } from './model.ts';
import type { HubClient, World } from './world.ts';

/** One save: fields of a section, and the call that saves them. */
interface Save {
  section: string;
  fields: Record<string, unknown>;
  send(client: HubClient): Promise<unknown>;
}

export async function saveSettings(world: World): Promise<void> {
  const { section, fields, send } = world.pick([general, dataSources, chat, oidc])(world);
  const endings = Object.entries(fields).map(([field, value]) =>
    findRegister<unknown>(
      world.model.settings,
      'the setting',
      `${section}.${field}`,
      initial[`${section}.${field}`],
    ).begin(value),
  );
  const { ending } = await world.call(`saving ${section}`, send);
  for (const end of endings) {
    end(ending);
  }
}

/** What a new hub has. */
const initial: Record<string, unknown> = {
  'general.homeCountry': 'JP',
  'general.language': 'ja',
  'general.retentionDays': 730,
  'dataSources.dns': '',
  'dataSources.dhcp': '',
  'dataSources.inspect': '',
  'chat.displayName': '',
  'chat.userId': '',
  'oidc.clientId': '',
};

function general(world: World): Save {
  const all = {
    homeCountry: world.pick(['DE', 'FR', 'JP', 'US', 'NZ']),
    language: world.pick(['ja', 'en'] as const),
    retentionDays: world.pick([7, 30, 90, 180, 365, 730] as const),
  };
  const fields = some(world, all);
  return { section: 'general', fields, send: (client) => client.config.saveGeneral({ body: fields }) };
}

function dataSources(world: World): Save {
  const file = () => `/tmp/storm-${world.fresh('log').replace(' ', '-')}.log`;
  const fields = some(world, { dns: file(), dhcp: file(), inspect: file() });
  const enabled = world.chance(0.5);
  const body = Object.fromEntries(Object.entries(fields).map(([name, logFile]) => [name, { enabled, logFile }]));
  return { section: 'dataSources', fields, send: (client) => client.config.saveDataSources({ body }) };
}

function chat(world: World): Save {
  const fields = some(world, { displayName: world.fresh('member'), userId: world.fresh('U').replace(' ', '') });
  return { section: 'chat', fields, send: (client) => client.chat.saveConfig({ body: fields }) };
}

function oidc(world: World): Save {
  const clientId = world.fresh('client');
  const body = { enabled: world.chance(0.5), issuer: 'http://127.0.0.1:9', clientId, allowedDomains: ['example.org'] };
  const fields = { clientId };
  return { section: 'oidc', fields, send: (client) => client.auth.saveSecurityConfig({ body }) };
}

/** At least one of the fields. */
function some<T extends Record<string, unknown>>(world: World, all: T): Partial<T> {
  const names = Object.keys(all);
  const first = world.pick(names);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === first || world.chance(0.3))) as Partial<T>;
}
