// Makes a context fit its limit: what says least is dropped first.
import { limits } from '#contract/limits.ts';
import type { Context } from './context-shape.ts';

/** The facts as they are sent: JSON in one line, so that no text inside them can start a line. */
export function formatFacts(context: Context): string {
  return JSON.stringify(context);
}

interface Step {
  /** Of `limits.shortened`. */
  name: string;
  shorten: (context: Context) => Context;
}

/**
 * The steps and their order (docs/reference/wire-contract/4-endpoints.md#what-is-sent); the last ones are for texts
 * that are long everywhere.
 */
const steps: readonly Step[] = [
  {
    name: 'threats[].devices',
    shorten: (context) => ({ ...context, threats: context.threats.map((threat) => ({ ...threat, devices: [] })) }),
  },
  { name: 'networkTopology.nodes[].sampleDevices', shorten: withoutSamples },
  { name: 'deviceInventory.devices', shorten: (context) => withDevices(context, 10) },
  { name: 'threats', shorten: (context) => ({ ...context, threats: context.threats.slice(0, 10) }) },
  {
    name: 'topDestinations',
    shorten: (context) => ({ ...context, topDestinations: context.topDestinations.slice(0, 5) }),
  },
  { name: 'deviceInventory.devices', shorten: (context) => withDevices(context, 3) },
  { name: 'threats', shorten: (context) => ({ ...context, threats: context.threats.slice(0, 3) }) },
];

/** At most `limits.aiContextBytes` of UTF-8 as `formatFacts`. */
export function fitContext(context: Context): Context {
  let fitted = context;
  for (const { name, shorten } of steps) {
    if (Buffer.byteLength(formatFacts(fitted)) <= limits.aiContextBytes) {
      break;
    }
    const shortened = [...new Set([...fitted.limits.shortened, name])];
    fitted = { ...shorten(fitted), limits: { ...fitted.limits, shortened } };
  }
  return fitted;
}

function withDevices(context: Context, most: number): Context {
  const devices = context.deviceInventory.devices.slice(0, most);
  return { ...context, deviceInventory: { ...context.deviceInventory, ...countIncluded(devices), devices } };
}

export function countIncluded(devices: Context['deviceInventory']['devices']) {
  return {
    includedActiveInRange: devices.filter(({ connections }) => connections > 0).length,
    included: devices.length,
  };
}

function withoutSamples(context: Context): Context {
  const { networkTopology } = context;
  if (!networkTopology) {
    return context;
  }
  const nodes = networkTopology.nodes.map((node) => ({ ...node, sampleDevices: [] }));
  return { ...context, networkTopology: { ...networkTopology, nodes } };
}
