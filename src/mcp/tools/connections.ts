// The connection log: what is new in it, and rows by source and destination.
import { z } from 'zod';
import { createLimitSchema, defineReadTool, formatTime, period, toWindow } from '../tool.ts';
import { iso, text, threatFields, toThreatFields } from './shapes.ts';

export const getNewNodes = defineReadTool({
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
      ...found,
      period: length,
      newDevices: found.newDevices.map((row) => ({
        src: row.src,
        mac: row.srcMac,
        vendor: row.srcVendor,
        dnsName: row.srcDnsName,
        mdnsName: row.srcMdnsName,
        firstSeen: formatTime(row.firstSeen),
      })),
      newDestinations: found.newDestinations.map((row) => {
        return { ...row, host: row.dstHost, firstSeen: formatTime(row.firstSeen) };
      }),
    };
  },
});

const filter = z.string().trim().max(512);

export const queryConnections = defineReadTool({
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
    limit: createLimitSchema(500, 100),
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
      ...row,
      ...toThreatFields(row.threat),
      host: row.dstHost,
      firstSeen: formatTime(row.firstSeen),
      lastSeen: formatTime(row.lastSeen),
    }));
    return { ...found, period: length, src: src || null, dst: dst || null, count: connections.length, connections };
  },
});
