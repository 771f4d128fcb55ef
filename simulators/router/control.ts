// The control surface of a simulated router: what a test or an operator can ask it and do to it.
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { get, post } from '#kernel/http/declare-route.ts';
import { pickDefined } from '../support/change.ts';
import { type ControlRoutes, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { RouterFault } from './faults.ts';
import { latencies } from './latency.ts';
import type { DeviceSettings, Host, NatEntry } from './model.ts';
import type { Violation } from './violations.ts';
import type { HostKind } from './world/hosts.ts';
import type { Flow } from './world/traffic.ts';
import type { FlowRequest, World } from './world/world.ts';

export type TruthEntry = NatEntry & {
  /** Seconds the entry would still live, and the whole timer in force. */
  ttl: number;
  timeout: number;
};

export interface FlowHandle {
  entry: TruthEntry;
  /** Ends it now: with FIN seen (`fin`, the default), or just no more packets. */
  end(how?: Flow['ends']): void;
}

export interface RouterControl extends Control<RouterFault> {
  /** Puts a flow into the NAT table; null when the table or the outer ports are used up. */
  flow(request: FlowRequest): FlowHandle | null;
  /** The hosts of the LAN by their own names, whatever they announce. */
  hosts(): readonly Host[];
  /** Adds a host to the LAN, which makes its traffic from now on. Throws when its name is taken or the LAN is full. */
  join(kind: HostKind): Host;
  /** The sessions the router knows now, static mappings first. */
  truth(): readonly TruthEntry[];
  readonly violations: readonly Violation[];
  /** Lines run, secrets masked. */
  readonly commands: readonly string[];
  /** SHA-256 of the host key, 64 hex digits. */
  readonly hostKey: string;
  /** Closes every connection and comes back with a new host key; resolves to its fingerprint. */
  rotateHostKey(): Promise<string>;
  /** Closes every session, as `disconnect user` of an administrator does. */
  kick(): void;
  /** Loses everything volatile and is away for `offMs` (60,000 when absent); resolves when it is down. */
  reboot(offMs?: number): Promise<void>;
  clearTable(): void;
  log(text: string): void;
  readonly settings: Readonly<DeviceSettings>;
  readonly sessionsOpen: number;
  /** TCP connections so far, refused ones included. */
  readonly connections: number;
}

/** What `patch` takes. `sessions` adds standing sessions; `settings` do not count as changed by a user. */
export const patchSchema = z
  .object({
    sessions: z.int().min(0).max(65_000),
    latency: z.enum(Object.keys(latencies) as [keyof typeof latencies, ...(keyof typeof latencies)[]]),
    legacyCrypto: z.boolean(),
    credentials: z
      .object({
        user: z.string().min(1).max(32),
        password: z.string().min(1),
        enable: z.string().nullable(),
        privileged: z.boolean(),
      })
      .partial()
      .strict(),
    settings: z
      .object({
        model: z.string().min(1),
        version: z.string().min(1),
        hostName: z.string().max(64),
        character: z.enum(['en.ascii', 'ja.sjis', 'ja.euc', 'ja.utf8']),
        lines: z.union([z.int().min(10).max(100), z.literal('infinity')]),
        columns: z.int().min(80).max(4096),
        consoleInfo: z.boolean(),
        changed: z.boolean(),
        natDescriptor: z.int().min(1).max(2_147_483_647),
        wanAddress: z.ipv4(),
        tableLimit: z.int().min(0).max(500_000),
        clockSkewMs: z.int(),
        clockZoneMs: z.int(),
        clockSet: z.boolean(),
        bootedAt: z.int(),
      })
      .partial()
      .strict(),
  })
  .partial()
  .strict();

export function listTruth(world: World): readonly TruthEntry[] {
  return world.nat().map((entry) => toTruthEntry(world, entry));
}

/** A copy of the entry: its values no longer change with the clock. */
export function toTruthEntry(world: World, entry: NatEntry): TruthEntry {
  const { id, proto, src, sport, dst, dport, outerPort, createdAt, lastPacketAt, closing, fixed } = entry;
  const { bytesIn, bytesOut, packetsIn, packetsOut } = entry;
  return {
    id,
    proto,
    src,
    sport,
    dst,
    dport,
    outerPort,
    createdAt,
    lastPacketAt,
    closing,
    fixed,
    bytesIn,
    bytesOut,
    packetsIn,
    packetsOut,
    ttl: world.ttl(entry),
    timeout: world.timeout(entry),
  };
}

const session = z.object({
  id: z.int(),
  proto: z.enum(['tcp', 'udp', 'icmp', 'esp', 'gre']),
  src: z.string(),
  sport: z.int(),
  dst: z.string(),
  dport: z.int(),
  outerPort: z.int(),
  createdAt: z.number(),
  lastPacketAt: z.number(),
  closing: z.boolean(),
  fixed: z.boolean(),
  bytesIn: z.number(),
  bytesOut: z.number(),
  packetsIn: z.number(),
  packetsOut: z.number(),
  ttl: z.number(),
  timeout: z.number(),
});
const port = z.int().min(0).max(65_535);

/** What `POST /flows` takes. */
export const flowSchema = z
  .object({
    src: z.ipv4(),
    dst: z.ipv4(),
    dport: port,
    proto: session.shape.proto.default('tcp'),
    sport: port.optional(),
    outerPort: port.optional(),
    everyMs: z.int().min(1).optional(),
    lastsMs: z.int().min(0).optional(),
    ends: z.enum(['fin', 'silent']).optional(),
    bytesIn: z.int().min(0).optional(),
    bytesOut: z.int().min(0).optional(),
  })
  .strict();

const routes = {
  truth: get('/truth', 'open', {
    summary: 'The NAT sessions the router knows now.',
    reply: { 200: z.object({ at: z.number(), sessions: z.array(session) }) },
  }),
  violations: get('/violations', 'open', {
    summary: 'What was done that a poller must never do; empty when all is well.',
    reply: {
      200: z.object({ violations: z.array(z.object({ at: z.number(), kind: z.string(), detail: z.string() })) }),
    },
  }),
  flows: post('/flows', 'open', {
    summary: 'Puts a flow into the NAT table: a packet every `everyMs` from now on, the last one after `lastsMs`.',
    body: flowSchema,
    reply: { 201: z.object({ session }) },
  }),
};

interface RouteOptions {
  control: RouterControl;
  now: () => number;
}

export function routerControlRoutes({ control, now }: RouteOptions): ControlRoutes {
  return mountControl(routes, {
    truth: () => ({ at: now(), sessions: [...control.truth()] }),
    violations: () => ({ violations: [...control.violations] }),
    flows: ({ body }) => {
      const { src, dst, dport, proto, ...rest } = body;
      const flow = control.flow({ src, dst, dport, proto, ...pickDefined(rest) });
      if (!flow) {
        throw new AppError('invalid_body', 'the NAT table or the pool of outer ports is full');
      }
      return { session: flow.entry };
    },
  });
}
