// A worker that arranges a graph by forces. It stops when the graph is at rest.
import {
  forceLink,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import type { LayoutRequest, LayoutResult } from './arrangement.ts';

interface Body extends SimulationNodeDatum {
  size: number;
}

type Scope = {
  postMessage(message: LayoutResult, transfer: Transferable[]): void;
  addEventListener(name: 'message', listener: (event: MessageEvent<LayoutRequest>) => void): void;
};
const scope = self as unknown as Scope;

/** Steps after which a simulation of d3-force is at rest. */
const steps = 300;
let bodies: Body[] = [];
let simulation: Simulation<Body, SimulationLinkDatum<Body>> | null = null;
let turn = 0;

/** Repulsion between nodes: strength, range and gap in pixels. */
const repulsion = { strength: 420, reach: 700, gap: 6 };

/** Compares every pair: at most 250 nodes, for which a quadtree is hardly faster. */
function pushApart(alpha: number): void {
  for (const [at, one] of bodies.entries()) {
    for (const other of bodies.slice(at + 1)) {
      const right = (other.x ?? 0) - (one.x ?? 0) || 0.01;
      const down = (other.y ?? 0) - (one.y ?? 0);
      const distance = Math.hypot(right, down);
      if (distance > repulsion.reach) {
        continue;
      }
      const overlap = Math.max(0, one.size + other.size + repulsion.gap - distance);
      const push = (repulsion.strength * alpha) / Math.max(1, distance ** 2) + (0.5 * overlap) / Math.max(1, distance);
      one.vx = (one.vx ?? 0) - right * push;
      one.vy = (one.vy ?? 0) - down * push;
      other.vx = (other.vx ?? 0) + right * push;
      other.vy = (other.vy ?? 0) + down * push;
    }
  }
}

function post(isSettled: boolean): void {
  const positions = new Float32Array(bodies.flatMap(({ x = 0, y = 0 }) => [x, y]));
  scope.postMessage({ turn, positions, isSettled }, [positions.buffer]);
}

function arrange({ nodes, links, isStill, turn: asked }: Extract<LayoutRequest, { nodes: unknown }>): void {
  simulation?.stop();
  turn = asked;
  bodies = nodes.map(({ size, x, y }) => ({ size, ...(x === undefined || y === undefined ? {} : { x, y }) }));
  const isNew = nodes.some(({ x }) => x === undefined);
  const started = forceSimulation(bodies)
    .stop()
    .alpha(isNew ? 1 : 0.05)
    .force('link', forceLink(links.map(([source, target]) => ({ source, target }))).distance(90))
    .force('apart', pushApart)
    // Keeps unconnected parts together. The picture is wider than high.
    .force('x', forceX(0).strength(0.045))
    .force('y', forceY(0).strength(0.09));
  simulation = started;
  if (isStill) {
    started.tick(steps);
    post(true);
    return;
  }
  started
    .on('tick', () => post(false))
    .on('end', () => post(true))
    .restart();
}

scope.addEventListener('message', ({ data }) => {
  if ('nodes' in data) {
    arrange(data);
    return;
  }
  const body = bodies[data.index];
  if (!body || !simulation) {
    return;
  }
  if (data.at === null) {
    body.fx = null;
    body.fy = null;
    simulation.alphaTarget(0);
    return;
  }
  [body.fx, body.fy] = data.at;
  if (data.isStill) {
    [body.x, body.y] = data.at;
    post(true);
    return;
  }
  simulation.alphaTarget(0.2).restart();
});
