// The LAN behind the routers of a scenario: its devices, what they run, and whom they talk to.
import { z } from 'zod';
import { systemClock } from '#kernel/time/clock.ts';
import { homeDestinations, homeHosts } from '../home/home.ts';
import type { RouterOptions } from '../router/start.ts';
import { type HostKind, Lan } from '../router/world/hosts.ts';
import { applications, type Destinations } from '../router/world/traffic.ts';
import { pickDefined } from '../support/change.ts';

const addresses = z.array(z.ipv4()).min(1).max(1000);

export const device = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, {
        error: 'must be a host name: letters, digits and hyphens',
      })
      .describe('As the device announces itself.'),
    mac: z
      .string()
      .regex(/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/, { error: 'must be a MAC address in lower case with colons' })
      .optional()
      .describe('One of the documentation block when absent.'),
    programs: z
      .array(z.enum(applications))
      .max(applications.length)
      .default([])
      .describe('What it runs, and so its traffic.'),
    lease: z.enum(['fixed', 'dynamic']).default('dynamic').describe('`fixed`: its address is reserved.'),
  })
  .describe('A device of the LAN. The first one has the address 192.168.100.2, and so on.');

export const world = z
  .strictObject({
    devices: z
      .union([z.literal('home'), z.int().min(0).max(250), z.array(device).max(250)])
      .optional()
      .describe('The household of the demo, a number of usual devices (12 when absent), or these.'),
    traffic: z.boolean().optional().describe('false: the devices make no traffic of their own.'),
    destinations: z
      .strictObject({
        pool: addresses.describe('Web, video and standing sessions go there.'),
        dns: addresses,
        ntp: addresses,
        push: addresses,
        beacon: addresses,
        threat: z.ipv4().describe('Where the program `threat` goes.'),
      })
      .partial()
      .optional()
      .describe('Whom the devices talk to; documentation addresses when absent.'),
  })
  .describe('The LAN behind the routers.');

export type ScenarioWorld = z.output<typeof world>;

export function toHostKind({ programs, mac, name, lease }: z.output<typeof device>): HostKind {
  return { name, lease, apps: programs, client: 'plain', ...pickDefined({ mac }) };
}

/** The options of every router in this world. */
export function toRouterOptions({ devices, traffic, destinations }: ScenarioWorld): Partial<RouterOptions> {
  const { pool, threat, ...own } = destinations ?? {};
  const isHome = devices === 'home';
  const usual: Partial<Destinations> = isHome ? homeDestinations : {};
  const hosts = isHome ? homeHosts : typeof devices === 'object' ? devices.map(toHostKind) : devices;
  return pickDefined({
    hosts,
    traffic,
    destinations: { ...usual, ...pickDefined({ pool, threat }), own: { ...usual.own, ...pickDefined(own) } },
  });
}

/** The names of the devices that are there from the start. */
export function listDeviceNames(world: ScenarioWorld): string[] {
  const { hosts = 12 } = toRouterOptions(world);
  const lan = new Lan({ seed: 1, clock: systemClock, hosts }, { lanAddress: '192.168.100.1', lanPrefix: 24 });
  return lan.all.flatMap(({ name }) => name ?? []);
}
