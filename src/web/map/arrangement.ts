// The messages between the page and the worker that arranges the graph.

export type LayoutRequest =
  | {
      turn: number;
      /** `x` and `y`: the previous position, when there is one. */
      nodes: { size: number; x: number | undefined; y: number | undefined }[];
      /** Pairs of indices. */
      links: [number, number][];
      /** Reduced motion: answer only with the final positions. */
      isStill: boolean;
    }
  /** The pointer holds a node at a position; null: it was released. */
  | { index: number; at: [number, number] | null; isStill: boolean };

export interface LayoutResult {
  /** The `turn` of the graph that was arranged. */
  turn: number;
  /** x and y of each node. */
  positions: Float32Array<ArrayBuffer>;
  isSettled: boolean;
}
