// The nodes of the mesh as they are sent: how many devices each has, and a few of them.
import { limits } from '#contract/limits.ts';
import type { MeshClient, MeshNetwork, MeshNode } from '#contract/mesh.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import { canonicalMac } from '#kernel/net/address.ts';
import type { Context, ContextNode } from './context-shape.ts';
import type { ContextTexts } from './context-text.ts';
import type { Withheld } from './context-withheld.ts';

/** Undefined while no access point was read. */
export function toTopology(
  { nodes, clients, updatedAt }: MeshNetwork,
  texts: ContextTexts,
  hidden: Withheld,
): Context['networkTopology'] {
  if (updatedAt === null) {
    return undefined;
  }
  const shown = clients.filter(({ mac, deviceId }) => !hidden.isMac(mac) && !hidden.isDevice(deviceId));
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
    totalOnlineDevices: shown.length,
    unassignedDevices: shown.filter(({ node }) => node === null).length,
    nodes: included.map((node) => toContextNode(node, shown, texts, hidden)),
  };
}

function toContextNode(
  node: MeshNode,
  clients: readonly MeshClient[],
  texts: ContextTexts,
  hidden: Withheld,
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
      ip: hidden.shown(ip ?? ''),
      mac: canonicalMac(mac),
    })),
  };
}
