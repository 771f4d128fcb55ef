// The connection log: what is new in it, and rows by source and destination.
import { z } from 'zod';
import { newNodes } from '#contract/connection-reports.ts';
import { formatTime, period, readTool, shown, toWindow } from '../tool.ts';
import { threatFields, toThreatFields } from './threat-shape.ts';

const text = z.string().nullable();
const iso = z.string().describe('ISO 8601, UTC.');
const newDestination = newNodes.shape.newDestinations.element;

export const getNewNodes = readTool({
  name: 'get_new_nodes',
  title: 'New nodes',
  permission: 'network.read',
  description: 'Lists devices and destinations that were seen for the first time in a period, newest first.',
  input: z.strictObject({ period }),
  output: z.object({
    period: z.string(),
    deviceCount: z.int().describe('All of them, shown or not.'),
    destinationCount: z.int().describe('All of them, shown or not.'),
    newDevices: z.array(
      z.object({ src: z.string(), mac: text, vendor: text, dnsName: text, mdnsName: text, firstSeen: iso }),
    ),
    newDestinations: z.array(z.object({ dst: z.string(), host: text, country: text, org: text, firstSeen: iso })),
  }),
  async call({ period: length }, { hub, now }) {
    const found = await hub.connections.newNodes({ query: toWindow(length, now) });
    return {
      period: length,
      deviceCount: found.deviceCount,
      destinationCount: found.destinationCount,
      newDevices: found.newDevices.map(({ src, srcMac, srcVendor, srcDnsName, srcMdnsName, firstSeen }) => ({
        ...{ src, mac: srcMac, vendor: srcVendor, dnsName: srcDnsName, mdnsName: srcMdnsName },
        firstSeen: formatTime(firstSeen),
      })),
      newDestinations: found.newDestinations.map(toNode),
    };
  },
});

function toNode({ dst, dstHost: host, country, org, firstSeen }: z.output<typeof newDestination>) {
  return { dst, host, country, org, firstSeen: formatTime(firstSeen) };
}

const filter = z.string().trim().max(512);

export const queryConnections = readTool({
  name: 'query_connections',
  title: 'Query connections',
  permission: 'network.read',
  description:
    'Searches the connection log of a period, latest first. src and dst match any part of an address or name, ' +
    'whatever the case; offset reads on.',
  input: z.strictObject({
    period,
    src: filter.optional().describe('Part of the address or name of the device.'),
    dst: filter.optional().describe('Part of the address or host name of the destination.'),
    limit: shown(500, 100),
    offset: z.int().min(0).max(10_000_000).default(0).describe('Rows to pass over.'),
  }),
  output: z.object({
    period: z.string(),
    src: text,
    dst: text,
    count: z.int().describe('Rows shown.'),
    total: z.int().describe('Rows that match, shown or not.'),
    offset: z.int(),
    connections: z.array(
      z.object({
        src: z.string(),
        dst: z.string(),
        host: text,
        dport: z.int(),
        proto: z.string(),
        country: text,
        org: text,
        ...threatFields,
        firstSeen: iso,
        lastSeen: iso,
      }),
    ),
  }),
  async call({ period: length, src = '', dst = '', limit, offset }, { hub, now }) {
    const found = await hub.connections.list({
      query: { ...toWindow(length, now), fSrc: src, fDst: dst, limit: String(limit), offset: String(offset) },
    });
    const connections = found.connections.map((row) => ({
      ...{ src: row.src, dst: row.dst, host: row.dstHost, dport: row.dport, proto: row.proto },
      ...{ country: row.country, org: row.org, ...toThreatFields(row.threat) },
      ...{ firstSeen: formatTime(row.firstSeen), lastSeen: formatTime(row.lastSeen) },
    }));
    const asked = { period: length, src: src || null, dst: dst || null };
    return { ...asked, count: connections.length, total: found.total, offset: found.offset, connections };
  },
});
