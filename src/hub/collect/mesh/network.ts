// Reads what a mesh access point says is connected; entries that make no sense are left out.
import { z } from 'zod';
import type { MeshClient, MeshNode } from '#contract/mesh.ts';
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { parseLabel } from '#kernel/net/host-name.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';

const word = z.string().max(128);
const visible = (text: string) => visibleText(text, 128);
const mac = z.string().max(32);

const nodeSchema = z.object({
  id: word.min(1).transform(visible),
  name: word,
  mac,
  role: z.enum(['main', 'satellite']),
  online: z.boolean(),
});

const clientSchema = z.object({
  mac,
  ip: z.string().max(64).nullish(),
  name: word.nullish(),
  /** Id of its node. */
  node: word.transform(visible).nullish(),
  band: z.enum(['2.4', '5', '6']).nullish().catch(null),
  signal: z.number().min(-120).max(0).nullish().catch(null),
  idleSec: z.number().min(0).max(31_536_000).catch(0),
});

export interface ReadClient extends Omit<MeshClient, 'deviceId'> {
  /** Seconds since it was heard. */
  idleSec: number;
}

export interface ReadNetwork {
  nodes: MeshNode[];
  clients: ReadClient[];
  /** Entries that were left out. */
  dropped: number;
}

const maxNodes = 64;
const maxClients = 2000;

/** Null when it is no such document. */
export function parseNetwork(document: unknown): ReadNetwork | null {
  const parsed = readInput(z.object({ nodes: z.array(z.unknown()), clients: z.array(z.unknown()) }), document);
  if (!parsed.success) {
    return null;
  }
  const nodes = parsed.data.nodes.slice(0, maxNodes).flatMap((entry) => parseNode(entry) ?? []);
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const told = parsed.data.clients.slice(0, maxClients).flatMap((entry) => parseClient(entry) ?? []);
  // Nodes may have one name, so that clients are counted by the id of their node.
  const counted = Map.groupBy(told, ({ node }) => node);
  const clients = told.map((client) => ({ ...client, node: names.get(client.node ?? '') ?? null }));
  return {
    nodes: nodes.map((node) => ({ ...node, clients: counted.get(node.id)?.length ?? 0 })),
    clients,
    dropped: parsed.data.nodes.length - nodes.length + parsed.data.clients.length - clients.length,
  };
}

function parseNode(entry: unknown): Omit<MeshNode, 'clients'> | null {
  const node = readInput(nodeSchema, entry).data;
  const address = canonicalMac(node?.mac ?? '');
  return node && address ? { ...node, name: parseLabel(node.name) ?? node.id, mac: address } : null;
}

/** Its `node` is the id of the node. */
function parseClient(entry: unknown): ReadClient | null {
  const client = readInput(clientSchema, entry).data;
  const address = canonicalMac(client?.mac ?? '');
  if (!client || address === null) {
    return null;
  }
  return {
    mac: address,
    ip: canonicalIp(client.ip ?? ''),
    name: parseLabel(client.name ?? ''),
    node: client.node ?? null,
    band: client.band ?? null,
    signal: client.signal == null ? null : Math.round(client.signal),
    idleSec: client.idleSec,
  };
}
