// Selects the nodes and edges to draw: listed ones first, then the largest.
import type { ThreatLevel } from '#contract/model.ts';
import { type End, pickLargest, type Summary, toAddresses, toDevices, toTargets } from './flows.ts';

/** Most nodes and edges that are drawn. */
export const most = { nodes: 250, edges: 1500 };
/** At least this many devices are drawn, however many targets there are. */
const devicesAtLeast = 100;

export type NodeKind = 'device' | 'target' | 'address';

export interface GraphNode extends End {
  id: string;
  kind: NodeKind;
  /** Radius. */
  size: number;
}

export interface GraphEdge {
  /** Indices of nodes. */
  from: number;
  to: number;
  /** From 0 to 1. */
  weight: number;
  level: ThreatLevel;
}

export type Graph = ReturnType<typeof buildGraph>;

/** With `target`, by which the summary is filtered, its addresses are nodes too. */
export function buildGraph(summary: Summary, target: string | undefined) {
  const allDevices = toDevices(summary);
  const allTargets = toTargets(summary);
  const addresses = target === undefined ? [] : toAddresses(summary).filter(({ key }) => key !== target);
  const others = allTargets.length + addresses.length;
  const devices = pickLargest(allDevices, Math.max(devicesAtLeast, most.nodes - others));
  const targets = pickLargest(allTargets, most.nodes - devices.length);
  const leaves = pickLargest(addresses, most.nodes - devices.length - targets.length);
  const heaviest = Math.max(1, ...[...devices, ...targets].map(({ count }) => count));
  const nodesOf = (kind: NodeKind, ends: readonly End[]) =>
    ends.map(
      (end): GraphNode => ({ ...end, kind, id: nodeId(kind, end.key), size: 4 + 10 * Math.sqrt(end.count / heaviest) }),
    );
  const nodes = [...nodesOf('device', devices), ...nodesOf('target', targets), ...nodesOf('address', leaves)];
  const indices = new Map(nodes.map(({ id }, index) => [id, index]));
  const lines = [
    ...summary.byEdge.map(({ src, key, count, level }) => {
      return { from: nodeId('device', src), to: nodeId('target', key), count, level };
    }),
    ...leaves.map(({ key, count, level }) => {
      return { from: nodeId('target', target ?? ''), to: nodeId('address', key), count, level };
    }),
  ];
  const longest = Math.max(1, ...lines.map(({ count }) => count));
  const edges = lines.flatMap(({ from, to, count, level }): GraphEdge[] => {
    const ends = [indices.get(from), indices.get(to)];
    return ends[0] === undefined || ends[1] === undefined
      ? []
      : [{ from: ends[0], to: ends[1], weight: Math.sqrt(count / longest), level }];
  });
  const unseen =
    target === undefined ? 0 : summary.uniqueDestinations - (toAddresses(summary).length - addresses.length);
  return {
    nodes,
    edges: pickLargest(edges, most.edges),
    /** Totals, drawn or not. Edges are counted as far as the summary contains them. */
    all: { nodes: summary.uniqueDevices + summary.uniqueTargets + unseen, edges: edges.length },
  };
}

const nodeId = (kind: NodeKind, key: string) => `${kind} ${key}`;
