// Devices and what they reach as a graph. A target that is selected shows its addresses.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { theme } from '../state/preferences.ts';
import { navigate } from '../state/url.ts';
import { number } from '../text/format.ts';
import { words } from '../text/map/words.ts';
import { FigureTable, Pick } from './figure.tsx';
import type { Summary } from './flows.ts';
import { createGraphCanvas, type GraphCanvas } from './graph-canvas.ts';
import { buildGraph, type Graph as Drawn, type GraphNode } from './graph-model.ts';
import { startLayout } from './layout.ts';
import { Legend } from './legend.tsx';
import { hrefSelecting, logHref, selection } from './selection.ts';
import { useWidth } from './width.ts';

export function Graph({ summary }: { summary: Summary }) {
  const w = words.value;
  const { target } = selection.value;
  const graph = useMemo(() => buildGraph(summary, target), [summary, target]);
  const { nodes, edges, all } = graph;
  const rows = nodes.toSorted((one, other) => other.count - one.count);
  return (
    <>
      <section class="card" aria-label={w.graph}>
        <p>
          {nodes.length < all.nodes
            ? w.shownNodes(number(nodes.length), number(all.nodes))
            : w.allNodes(number(all.nodes))}{' '}
          {edges.length < all.edges ? w.shownEdges(number(edges.length)) : null}
        </p>
        <Picture graph={graph} />
        <Legend kinds={['danger', 'warn', 'device', 'target']} />
      </section>
      <FigureTable
        caption={w.tableOf.graph}
        columns={[w.name, w.kind]}
        rows={rows.map((node) => ({
          key: node.id,
          names: [<Pick key="n" name={node.name} more={node.more} to={nodeHref(node)} />, w[node.kind]],
          count: node.count,
          level: node.level,
          lastSeen: node.lastSeen,
          to: nodeLogHref(node),
        }))}
        all={all.nodes}
        isUnjudged={summary.judged === 'none'}
      />
    </>
  );
}

const nodeLogHref = ({ kind, key }: GraphNode) => logHref({ [kind === 'address' ? 'destination' : kind]: key });

/** The URL that a click on a node opens. */
const nodeHref = (node: GraphNode) =>
  node.kind === 'address' ? nodeLogHref(node) : hrefSelecting(node.kind, node.key);

function Picture({ graph }: { graph: Drawn }) {
  const w = words.value;
  const box = useRef<HTMLDivElement>(null);
  const element = useRef<HTMLCanvasElement>(null);
  const canvas = useRef<GraphCanvas | null>(null);
  const width = useWidth(box);
  const isSettled = useLayout(graph, element, canvas);
  useEffect(() => canvas.current?.redraw(), [theme.value, width]);
  return (
    <div ref={box} class="graph" aria-busy={!isSettled}>
      <canvas
        ref={element}
        role="img"
        aria-label={w.graphLabel(number(graph.nodes.length), number(graph.edges.length))}
      />
      <p class="actions">
        <button type="button" onClick={() => canvas.current?.zoom(1.4)}>
          {w.larger}
        </button>
        <button type="button" onClick={() => canvas.current?.zoom(1 / 1.4)}>
          {w.smaller}
        </button>
        <button type="button" onClick={() => canvas.current?.zoom(null)}>
          {w.fit}
        </button>
        <span role="status">{isSettled ? '' : w.settling}</span>
      </p>
    </div>
  );
}

/** Arranges and draws `graph`. Returns whether it is at rest. */
function useLayout(
  graph: Drawn,
  element: { current: HTMLCanvasElement | null },
  canvas: { current: GraphCanvas | null },
): boolean {
  const [isSettled, setSettled] = useState(false);
  const layout = useRef<ReturnType<typeof startLayout> | null>(null);
  const latest = useRef({ graph, turn: 0 });
  /** By the id of a node. */
  const places = useRef(new Map<string, [number, number]>());
  useEffect(() => {
    if (element.current === null) {
      return undefined;
    }
    const drawn = createGraphCanvas(element.current, {
      pick: (index) => {
        const node = latest.current.graph.nodes[index];
        const address = node ? nodeHref(node) : null;
        if (address !== null) {
          navigate(address);
        }
      },
      hold: (index, at) => layout.current?.request({ index, at, isStill: prefersReducedMotion() }),
    });
    const started = startLayout(({ turn, positions, isSettled: isDone }) => {
      if (turn !== latest.current.turn) {
        return;
      }
      const { nodes } = latest.current.graph;
      places.current = new Map(nodes.map(({ id }, at) => [id, [positions[at * 2] ?? 0, positions[at * 2 + 1] ?? 0]]));
      drawn.show(latest.current.graph, positions);
      setSettled(isDone);
    });
    canvas.current = drawn;
    layout.current = started;
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', drawn.redraw);
    return () => {
      scheme.removeEventListener('change', drawn.redraw);
      drawn.stop();
      started.stop();
    };
  }, []);
  useEffect(() => {
    const turn = latest.current.turn + 1;
    latest.current = { graph, turn };
    setSettled(false);
    layout.current?.request({
      turn,
      nodes: graph.nodes.map(({ id, size }) => {
        const [x, y] = places.current.get(id) ?? [];
        return { size, x, y };
      }),
      links: graph.edges.map(({ from, to }) => [from, to]),
      isStill: prefersReducedMotion(),
    });
  }, [graph]);
  return isSettled;
}

const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
