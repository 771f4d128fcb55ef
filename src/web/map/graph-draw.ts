// Draws a graph on a canvas. Colours are those of the theme, read each time.
import { visibleText } from '../parts/outside.ts';
import type { Graph, GraphNode } from './graph-model.ts';
import { shapes } from './mark.tsx';

export interface Camera {
  /** Pixels of a unit, and the point of the graph in the middle. */
  scale: number;
  x: number;
  y: number;
}

export interface Scene {
  graph: Graph;
  /** x and y of each node. */
  positions: Float32Array;
  camera: Camera;
  /** Index of the node that is pointed at; -1 for none. */
  pointed: number;
}

/** Most nodes that are labelled. */
const named = 24;
const nameLength = 26;

const palette = ['text', 'muted', 'surface', 'accent', 'bar', 'bar-rest', 'warn', 'danger'] as const;

function readColours(): Record<(typeof palette)[number], string> {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(palette.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as never;
}

const paths = { danger: new Path2D(shapes.danger), warn: new Path2D(shapes.warn) };
const dashes = { danger: [10, 4], warn: [4, 4], safe: [] };

export function drawGraph(canvas: HTMLCanvasElement, { graph, positions, camera, pointed }: Scene): void {
  const pen = canvas.getContext('2d');
  if (pen === null) {
    return;
  }
  const colours = readColours();
  const density = canvas.width / Math.max(1, canvas.clientWidth);
  const at = (index: number): [number, number] => [positions[index * 2] ?? 0, positions[index * 2 + 1] ?? 0];
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = colours.surface;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(density, 0, 0, density, canvas.width / 2, canvas.height / 2);
  pen.scale(camera.scale, camera.scale);
  pen.translate(-camera.x, -camera.y);
  // Listed ones are drawn last, on top.
  for (const isListed of [false, true]) {
    for (const { from, to, weight, level } of graph.edges.filter((edge) => (edge.level !== 'safe') === isListed)) {
      const isNear = pointed === from || pointed === to;
      pen.setLineDash(dashes[level]);
      pen.lineWidth = 0.6 + 4 * weight + (isListed ? 1 : 0);
      pen.strokeStyle = level === 'safe' ? (isNear ? colours.accent : colours['bar-rest']) : colours[level];
      pen.globalAlpha = isListed || isNear ? 1 : 0.5;
      pen.beginPath();
      pen.moveTo(...at(from));
      pen.lineTo(...at(to));
      pen.stroke();
    }
  }
  pen.setLineDash([]);
  pen.globalAlpha = 1;
  for (const [index, node] of graph.nodes.entries()) {
    pen.save();
    pen.translate(...at(index));
    drawNode(pen, node, index === pointed, colours);
    pen.restore();
  }
  // Labels keep their size at every zoom.
  pen.font = `${12 / camera.scale}px system-ui, sans-serif`;
  pen.textAlign = 'center';
  pen.textBaseline = 'top';
  pen.lineWidth = 3 / camera.scale;
  pen.strokeStyle = colours.surface;
  pen.fillStyle = colours.text;
  const least = graph.nodes.map(({ count }) => count).sort((one, other) => other - one)[named - 1] ?? 0;
  for (const [index, node] of graph.nodes.entries()) {
    if (index === pointed || node.level !== 'safe' || node.count >= least) {
      const whole = visibleText(node.name);
      const name = whole.length > nameLength ? `${whole.slice(0, nameLength - 1)}…` : whole;
      const [x, y] = at(index);
      pen.strokeText(name, x, y + node.size + 3);
      pen.fillText(name, x, y + node.size + 3);
    }
  }
}

function drawNode(
  pen: CanvasRenderingContext2D,
  { kind, size, level }: GraphNode,
  isPointed: boolean,
  colours: ReturnType<typeof readColours>,
): void {
  pen.lineWidth = isPointed ? 3 : 1.5;
  pen.fillStyle = kind === 'device' ? colours.accent : kind === 'target' ? colours.bar : colours['bar-rest'];
  pen.strokeStyle = isPointed ? colours.text : kind === 'address' ? colours.muted : colours.surface;
  if (level !== 'safe' && kind !== 'device') {
    const grown = Math.max(1, size / 9);
    pen.scale(grown, grown);
    pen.lineWidth = 2.5 / grown;
    pen.fillStyle = colours.surface;
    pen.strokeStyle = isPointed ? colours.text : colours[level];
    pen.fill(paths[level]);
    pen.stroke(paths[level]);
    return;
  }
  pen.beginPath();
  if (kind === 'device') {
    pen.rect(-size, -size, 2 * size, 2 * size);
  } else {
    pen.arc(0, 0, size, 0, 2 * Math.PI);
  }
  pen.fill();
  pen.stroke();
}
