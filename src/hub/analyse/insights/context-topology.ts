// Builds the mesh part of an AI context: the nodes, how many devices each has, and a sample of these devices.
import { limits } from '#contract/limits.ts';
import type { MeshClient, MeshNetwork, MeshNode } from '#contract/mesh.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import { canonicalMac } from '#kernel/net/address.ts';
import type { Context, ContextNode } from './context-shape.ts';
import type { ContextTexts } from './context-text.ts';
import type { Withheld } from './context-withheld.ts';

/** Returns undefined until the mesh access point has been read. */
export function toTopology(
  { nodes, clients, updatedAt }: MeshNetwork,
  texts: ContextTexts,
  withheld: Withheld,
): Context['networkTopology'] {
  if (updatedAt === null) {
    return undefined;
  }
  const devices = clients.filter(({ mac, deviceId }) => !withheld.hasMac(mac) && !withheld.hasDevice(deviceId));
  const included = topBy(
    nodes,
    limits.aiNodes,
    (node) => node.clients,
    ({ mac, id }) => `${mac} ${id}`,
  );
  return {
    source: 'mesh',
    totalNodes: nodes.length,
    includedNodes: included.length,
    totalOnlineDevices: devices.length,
    unassignedDevices: devices.filter(({ node }) => node === null).length,
    nodes: included.map((node) => toContextNode(node, devices, texts, withheld)),
  };
}

function toContextNode(
  node: MeshNode,
  clients: readonly MeshClient[],
  texts: ContextTexts,
  withheld: Withheld,
): ContextNode {
  const connected = clients.filter((client) => client.node === node.name);
  return {
    name: texts.name(node.name),
    role: texts.word(node.role),
    mac: canonicalMac(node.mac),
    online: node.online,
    connectedDevices: connected.length,
    sampleDevices: connected.slice(0, limits.aiNodeDevices).map(({ name, ip, mac }) => ({
      name: texts.name(name),
      ip: withheld.toSendableIp(ip ?? ''),
      mac: canonicalMac(mac),
    })),
  };
}
