// What a step of a timeline can do: each verb with its schema, the kinds of simulators it is for, and what it does.
import { z } from 'zod';
import type { AgentControl } from '../agent/control.ts';
import type { GivenObservation } from '../agent/script.ts';
import type { FeedsControl } from '../feeds/control.ts';
import { type ListName, rowSchemas } from '../feeds/listing.ts';
import { type BrokerControl, messageSchema } from '../mqtt/control.ts';
import { flowSchema, type RouterControl } from '../router/control.ts';
import type { FlowRequest } from '../router/world/world.ts';
import { pickDefined } from '../support/change.ts';
import type { ShiftedClock } from '../support/shifted-clock.ts';
import type { Control, FaultOptions } from '../support/simulator.ts';
import type { UpsControl } from '../ups/control.ts';
import { valuesSchema } from '../ups/values.ts';
import { duration } from './duration.ts';
import { device, toHostKind } from './world.ts';

/** A simulator that a step acts on. */
export interface Target {
  kind: string;
  control: Control<string>;
  clock: ShiftedClock;
}

interface Verb<S extends z.ZodType = z.ZodType> {
  /** The kinds that know it; null: all. */
  kinds: readonly string[] | null;
  schema: S;
  /** Does it. What it returns is written into the journal. Throws when it cannot be done. */
  act(target: Target, value: z.output<S>): unknown;
}

const verb = <S extends z.ZodType>(kinds: Verb['kinds'], schema: S, act: Verb<S>['act']): Verb<S> => ({
  kinds,
  schema,
  act,
});

const routers = ['vendor_a', 'vendor_b'];
const deviceOrAddress = z.string().min(1).max(63).describe('Name of a device, or an IPv4 address of the LAN.');
const { dst, dport, proto, sport, outerPort, ends, bytesIn, bytesOut } = flowSchema.shape;

const flow = z
  .strictObject({
    src: deviceOrAddress,
    dst,
    dport,
    proto,
    sport,
    outerPort,
    ends,
    bytesIn,
    bytesOut,
    packetEvery: duration.optional(),
    lasts: duration.optional(),
  })
  .describe('A connection through the router: a packet every `packetEvery` (10s), the last one after `lasts`.');

const beacon = z
  .strictObject({ src: deviceOrAddress, dst, dport: dport.default(443) })
  .describe('A contact of a second; with `every` and `jitter` it is a beacon.');

const connection = z
  .strictObject({
    program: z.string().min(1).max(256).describe('Name of the program that has it.'),
    dst: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IPv4 or IPv6 address' }),
    dport,
    proto: z.enum(['tcp', 'udp']).default('tcp'),
    sport,
    lasts: duration.default(1000).describe('It began so long ago; 1s when absent.'),
    bytesIn,
    bytesOut,
  })
  .describe('A connection of the machine until now. What is left out is random.');

const fault = z
  .strictObject({
    name: z.string().min(1),
    times: z.int().min(1).optional(),
    skip: z.int().min(0).optional(),
    command: z.string().min(1).optional(),
    afterBytes: z.int().min(0).optional(),
    value: z.union([z.number(), z.string()]).optional(),
  })
  .describe('Arms a fault of the simulator by its name.');

const rows = Object.fromEntries(
  Object.entries(rowSchemas).map(([name, schema]) => [name, z.array(schema).min(1).max(10_000).optional()]),
) as { [N in ListName]: z.ZodOptional<z.ZodArray<(typeof rowSchemas)[N]>> };

const script = z.union([
  z.literal('outage'),
  z
    .array(z.strictObject({ after: duration, values: valuesSchema }))
    .min(1)
    .max(1000),
]);

/** By the name of its key in a step. */
export const verbs = {
  flow: verb(routers, flow, ({ control }, { packetEvery, lasts, ...request }) =>
    putFlow(control, { ...request, everyMs: packetEvery, lastsMs: lasts }),
  ),
  beacon: verb(routers, beacon, ({ control }, request) =>
    putFlow(control, { ...request, everyMs: 400, lastsMs: 1200, ends: 'fin' }),
  ),
  report: verb(
    ['agent'],
    z.array(connection).min(1).max(200).describe('The Agents that have their bearer deliver these connections now.'),
    async ({ control }, connections) => {
      const observations = connections.map(toObservation);
      const sent = await (control as unknown as AgentControl).deliver({ observations });
      return { statuses: sent.map(({ status }) => status) };
    },
  ),
  device: verb(routers, device.describe('A new device on the LAN.'), ({ control }, kind) => {
    const { ipv4, mac } = (control as unknown as RouterControl).join(toHostKind(kind));
    return { address: ipv4, mac };
  }),
  reboot: verb(routers, duration.describe('The router restarts, and is away for so long.'), ({ control }, offMs) =>
    (control as unknown as RouterControl).reboot(offMs),
  ),
  fault: verb(null, fault, ({ control }, { name, ...options }) =>
    control.fail(name, pickDefined(options) as FaultOptions),
  ),
  clear: verb(null, z.literal('faults').describe('Clears every fault.'), ({ control }) => control.clearFaults()),
  clock: verb(null, duration.describe('The clock of the simulator is put forward by so much.'), ({ clock }, ms) =>
    clock.advance(ms),
  ),
  list: verb(
    ['feeds'],
    z.strictObject(rows).describe('The feeds list these destinations from now on, besides those before.'),
    ({ control }, added) => addRows(control as unknown as FeedsControl, added),
  ),
  set: verb(['ups'], valuesSchema.describe('Measurements, set for good.'), ({ control }, values) =>
    (control as unknown as UpsControl).set(values),
  ),
  play: verb(['ups'], script.describe('Measurements that change from now on, or `outage`.'), ({ control }, steps) =>
    (control as unknown as UpsControl).play(
      steps === 'outage' ? steps : steps.map(({ after, values }) => ({ afterMs: after, values })),
    ),
  ),
  publish: verb(['mqtt'], messageSchema.describe('A message to whoever has subscribed.'), ({ control }, message) =>
    (control as unknown as BrokerControl).publish(message),
  ),
};

export type VerbName = keyof typeof verbs;
export const verbNames = Object.keys(verbs) as VerbName[];

type GivenFlow = Pick<FlowRequest, 'src' | 'dst' | 'dport'> & { [K in keyof FlowRequest]: FlowRequest[K] | undefined };

function putFlow(control: Control<string>, { src, dst, dport, ...rest }: GivenFlow) {
  const router = control as unknown as RouterControl;
  const address = router.hosts().find(({ name }) => name === src)?.ipv4 ?? src;
  if (!z.ipv4().safeParse(address).success) {
    throw new Error(`no device of the LAN is called ${src}`);
  }
  const put = router.flow({ ...pickDefined(rest), src: address, dst, dport });
  if (put === null) {
    throw new Error('the NAT table or the pool of outer ports is full');
  }
  const { sport, outerPort } = put.entry;
  return { src: address, sport, outerPort };
}

function toObservation({ program, dst, dport, proto, lasts, ...rest }: z.output<typeof connection>): GivenObservation {
  const { sport: localPort, bytesIn, bytesOut } = rest;
  return {
    processName: program,
    remoteAddress: dst,
    remotePort: dport,
    networkProtocol: proto,
    agoMs: lasts,
    lastsMs: lasts,
    ...pickDefined({ localPort, bytesIn: bytesIn?.toString(), bytesOut: bytesOut?.toString() }),
  };
}

function addRows(feeds: FeedsControl, added: z.output<z.ZodObject<typeof rows>>): void {
  for (const [name, list] of Object.entries(added) as [ListName, object[]][]) {
    feeds.list(name, [...feeds.rows(name), ...list] as never);
  }
}
