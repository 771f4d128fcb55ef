// What the simulated mesh consists of, who may log in, and what of it can be changed while it runs.
import { z } from 'zod';
import { createRandom, hash } from '../support/random.ts';

const mac = z.string().regex(/^(?:[\da-f]{2}:){5}[\da-f]{2}$/, 'a MAC in lower-case colon form');

const nodeSchema = z
  .object({
    id: z.string().min(1).max(64),
    name: z.string().max(128),
    mac,
    role: z.enum(['main', 'satellite']),
    online: z.boolean(),
  })
  .strict();

const clientSchema = z
  .object({
    mac,
    ip: z.string().nullable(),
    name: z.string().max(128).nullable(),
    /** Id of the node it is connected to. */
    node: z.string(),
    band: z.enum(['2.4', '5', '6']),
    /** dBm; what is told moves around it by a few. */
    signal: z.int().min(-100).max(-10),
    /** Walks about: another node every half hour. */
    roams: z.boolean(),
  })
  .strict();
export type SimulatedClient = z.output<typeof clientSchema>;

export const settingsSchema = z
  .object({
    user: z.string().min(1).max(64),
    password: z.string().min(1).max(256),
    /** A session without requests ends after this. */
    sessionMs: z.int().min(1),
    nodes: z.array(nodeSchema).max(64),
    clients: z.array(clientSchema).max(2000),
  })
  .strict();
export type MeshSettings = z.output<typeof settingsSchema>;

/** The wireless hosts of the simulated routers' LAN, by their number there. */
const wireless: readonly (readonly [
  host: number,
  name: string | null,
  band: SimulatedClient['band'],
  roams: boolean,
])[] = [
  [2, 'Living room TV', '5', false],
  [4, "Ben's phone", '6', true],
  [5, 'laptop-01', '5', false],
  [7, "Anna's phone", '5', true],
  [9, 'Door camera', '2.4', false],
  [10, null, '2.4', false],
];

/** Three nodes and the wireless hosts of the LAN; `seed` says who stands how far from which node. */
export function createSettings(seed: number): MeshSettings {
  const random = createRandom(hash('mesh', seed));
  const nodes = ['Hall', 'Attic', 'Garden'].map((name, index) => ({
    id: `node-${index + 1}`,
    name,
    mac: `00:00:5e:00:53:f${index}`,
    role: index === 0 ? ('main' as const) : ('satellite' as const),
    online: true,
  }));
  const clients = wireless.map(([host, name, band, roams]) => ({
    mac: `00:00:5e:00:53:${host.toString(16).padStart(2, '0')}`,
    ip: `192.168.100.${host + 2}`,
    name,
    node: random.pick(nodes).id,
    band,
    signal: -random.int(35, 80),
    roams,
  }));
  return { user: 'admin', password: 'mesh-secret', sessionMs: 900_000, nodes, clients };
}

/** What `GET /network` tells at an instant: signals move, who roams changes nodes. */
export function describeNetwork({ nodes, clients }: MeshSettings, now: number) {
  const online = nodes.filter((node) => node.online);
  return {
    nodes,
    clients: clients
      .map(({ roams, ...client }, index) => {
        const home = online.findIndex(({ id }) => id === client.node);
        const steps = roams ? Math.floor(now / 1_800_000) : 0;
        const node = online[(Math.max(home, 0) + steps) % Math.max(online.length, 1)];
        const wobble = (hash('signal', index, Math.floor(now / 60_000)) % 7) - 3;
        return { ...client, node: node?.id ?? null, signal: client.signal + wobble, idleSec: index % 5 };
      })
      .filter(({ node }) => node !== null),
  };
}
