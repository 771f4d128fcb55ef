// What the page and the worker that arranges the graph tell each other.

export type ToArrange =
  | {
      turn: number;
      /** With a place: where it was. */
      nodes: { size: number; x: number | undefined; y: number | undefined }[];
      /** Pairs of indices. */
      links: [number, number][];
      /** Only the end is wanted. */
      isStill: boolean;
    }
  /** A node is held at a place; null: no longer. */
  | { index: number; at: [number, number] | null; isStill: boolean };

export interface Arranged {
  /** That of the graph it belongs to. */
  turn: number;
  /** x and y of each node. */
  positions: Float32Array<ArrayBuffer>;
  isSettled: boolean;
}
