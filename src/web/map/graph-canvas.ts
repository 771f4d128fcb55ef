// A graph on a canvas that can be moved, enlarged and pointed at.
import { type Camera, drawGraph, type Scene } from './graph-draw.ts';
import type { Graph } from './graph-model.ts';

interface Listeners {
  pick: (index: number) => void;
  /** Called with the position at which the pointer holds a node; null: it was released. */
  hold: (index: number, at: [number, number] | null) => void;
}

/** A press that moves less, in pixels, is a click. */
const still = 4;

export type GraphCanvas = ReturnType<typeof createGraphCanvas>;

export function createGraphCanvas(canvas: HTMLCanvasElement, { pick, hold }: Listeners) {
  const stop = new AbortController();
  const scene: Scene = {
    graph: { nodes: [], edges: [], all: { nodes: 0, edges: 0 } },
    positions: new Float32Array(),
    camera: { scale: 1, x: 0, y: 0 },
    pointed: -1,
  };
  /** Whether the camera follows the graph: until the user moves or zooms. */
  let isFitted = true;
  let pressed: { index: number; x: number; y: number; isMoved: boolean } | null = null;

  const redraw = () => {
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const density = devicePixelRatio;
    if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
    }
    if (isFitted) {
      scene.camera = fitCamera(scene.positions, width, height);
    }
    drawGraph(canvas, scene);
  };
  const pointOf = ({ offsetX, offsetY }: MouseEvent): [number, number] => {
    const { scale, x, y } = scene.camera;
    return [(offsetX - canvas.clientWidth / 2) / scale + x, (offsetY - canvas.clientHeight / 2) / scale + y];
  };
  const zoom = (factor: number | null) => {
    isFitted = factor === null;
    scene.camera = { ...scene.camera, scale: Math.min(8, Math.max(0.1, scene.camera.scale * (factor ?? 1))) };
    redraw();
  };
  const on = <N extends keyof HTMLElementEventMap>(name: N, listener: (event: HTMLElementEventMap[N]) => void) =>
    canvas.addEventListener(name, listener, { signal: stop.signal });

  on('pointerdown', (event) => {
    pressed = { index: findNodeAt(scene, pointOf(event)), x: event.clientX, y: event.clientY, isMoved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  on('pointermove', (event) => {
    if (pressed === null) {
      const pointed = findNodeAt(scene, pointOf(event));
      if (pointed !== scene.pointed) {
        scene.pointed = pointed;
        canvas.classList.toggle('over', pointed !== -1);
        redraw();
      }
      return;
    }
    const right = event.clientX - pressed.x;
    const down = event.clientY - pressed.y;
    if (!pressed.isMoved && Math.hypot(right, down) < still) {
      return;
    }
    Object.assign(pressed, { isMoved: true, x: event.clientX, y: event.clientY });
    if (pressed.index !== -1) {
      hold(pressed.index, pointOf(event));
      return;
    }
    const { scale, x, y } = scene.camera;
    isFitted = false;
    scene.camera = { scale, x: x - right / scale, y: y - down / scale };
    redraw();
  });
  const release = (isClick: boolean) => {
    if (pressed && pressed.index !== -1) {
      if (pressed.isMoved) {
        hold(pressed.index, null);
      } else if (isClick) {
        pick(pressed.index);
      }
    }
    pressed = null;
  };
  on('pointerup', () => release(true));
  on('pointercancel', () => release(false));
  // A pinch on a touch pad is a wheel event with Ctrl. Without Ctrl the page scrolls.
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(Math.exp(-event.deltaY / 200));
      }
    },
    { signal: stop.signal, passive: false },
  );

  return {
    show(graph: Graph, positions: Float32Array) {
      Object.assign(scene, { graph, positions });
      scene.pointed = scene.pointed < graph.nodes.length ? scene.pointed : -1;
      redraw();
    },
    redraw,
    /** Multiplies the scale; null: fits the whole graph, and keeps it fitted. */
    zoom,
    stop: () => stop.abort(),
  };
}

/** Index of the topmost node at a point, or -1. */
function findNodeAt({ graph, positions, camera }: Scene, [x, y]: [number, number]): number {
  return graph.nodes.findLastIndex(({ size }, index) => {
    const away = Math.hypot((positions[index * 2] ?? 0) - x, (positions[index * 2 + 1] ?? 0) - y);
    return away <= Math.max(size + 3, 12 / camera.scale);
  });
}

/** A camera that shows the whole graph with its labels. */
function fitCamera(positions: Float32Array, width: number, height: number): Camera {
  const xs = positions.filter((_, at) => at % 2 === 0);
  const ys = positions.filter((_, at) => at % 2 === 1);
  if (xs.length === 0) {
    return { scale: 1, x: 0, y: 0 };
  }
  const left = Math.min(...xs);
  const right = Math.max(...xs);
  const top = Math.min(...ys);
  const bottom = Math.max(...ys);
  const scale = Math.min(1.4, (width - 80) / Math.max(1, right - left), (height - 80) / Math.max(1, bottom - top));
  return { scale: Math.max(0.05, scale), x: (left + right) / 2, y: (top + bottom) / 2 };
}
