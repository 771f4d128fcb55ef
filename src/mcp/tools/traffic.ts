// Traffic in total, by destination and by device, from the hub's summary.
import { z } from 'zod';
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { createLimitSchema, defineReadTool, formatTime, period, toWindow } from '../tool.ts';
import { address } from './address.ts';
import { iso, known, text, threatFields, toThreatFields } from './shapes.ts';

const destination = z.object({
  dst: z.string(),
  host: text,
  country: text,
  org: text,
  sessions: z.int(),
  ...threatFields,
  firstSeen: iso,
  lastSeen: iso,
});

const device = z.object({
  src: z.string(),
  mac: text,
  vendor: text,
  dnsName: text,
  mdnsName: text,
  sessions: z.int(),
  firstSeen: iso,
  lastSeen: iso,
});

export const getTrafficSummary = defineReadTool({
  name: 'get_traffic_summary',
  title: 'Traffic summary',
  permission: 'network.read',
  description: 'Counts the sessions, the different destinations and the different devices of a period, exactly.',
  input: z.strictObject({ period }),
  output: z.object({
    period: z.string(),
    totalSessions: z.int(),
    uniqueDestinations: z.int(),
    uniqueDevices: z.int(),
    ...known,
  }),
  async call({ period: length }, { hub, now }) {
    const summary = await hub.connections.summary({ query: { ...toWindow(length, now), buckets: '1' } });
    return { ...summary, period: length, totalSessions: summary.total };
  },
});

export const getTopDestinations = defineReadTool({
  name: 'get_top_destinations',
  title: 'Top destinations',
  permission: 'network.read',
  description: 'Ranks the destinations of a period by sessions, with country, organisation and threat level.',
  input: z.strictObject({ period, limit: createLimitSchema(100, 20) }),
  output: z.object({
    period: z.string(),
    count: z.int().describe('Rows shown.'),
    total: z.int().describe('Different destinations of the period, shown or not.'),
    destinations: z.array(destination),
  }),
  async call({ period: length, limit }, { hub, now }) {
    const summary = await hub.connections.summary({ query: { ...toWindow(length, now), buckets: '1' } });
    const destinations = summary.byDst.slice(0, limit).map(toDestination);
    return { period: length, count: destinations.length, total: summary.uniqueDestinations, destinations };
  },
});

export const getDeviceTraffic = defineReadTool({
  name: 'get_device_traffic',
  title: 'Device traffic',
  permission: 'network.read',
  description: 'Ranks the devices of a period by sessions; with src, the top destinations of that one device instead.',
  input: z.strictObject({
    period,
    src: address.optional().describe('IP address of one device; left out: all devices.'),
    limit: createLimitSchema(50, 10),
  }),
  output: z.object({
    period: z.string(),
    src: z.string().optional(),
    count: z.int().describe('Rows shown.'),
    total: z.int().describe('Devices, or destinations of the device, shown or not.'),
    devices: z.array(device).optional().describe('Without src.'),
    topDestinations: z.array(destination).optional().describe('With src.'),
  }),
  async call({ period: length, src, limit }, { hub, now }) {
    const query = { ...toWindow(length, now), buckets: '1', ...(src === undefined ? {} : { src }) };
    const summary = await hub.connections.summary({ query });
    if (src === undefined) {
      const devices = summary.byDevice.slice(0, limit).map(toDevice);
      return { period: length, count: devices.length, total: summary.uniqueDevices, devices };
    }
    const topDestinations = summary.byDst.slice(0, limit).map(toDestination);
    return { period: length, src, count: topDestinations.length, total: summary.uniqueDestinations, topDestinations };
  },
});

function toDestination(row: ConnectionSummary['byDst'][number]) {
  return {
    ...row,
    ...toThreatFields(row.threat),
    host: row.dstHost,
    sessions: row.count,
    firstSeen: formatTime(row.firstSeen),
    lastSeen: formatTime(row.lastSeen),
  };
}

function toDevice(row: ConnectionSummary['byDevice'][number]) {
  return {
    src: row.src,
    mac: row.srcMac,
    vendor: row.srcVendor,
    dnsName: row.srcDnsName,
    mdnsName: row.srcMdnsName,
    sessions: row.count,
    firstSeen: formatTime(row.firstSeen),
    lastSeen: formatTime(row.lastSeen),
  };
}
