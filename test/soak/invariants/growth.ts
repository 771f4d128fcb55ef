// Whether something grows with time: a line through the samples by least squares, and how sure its slope is.

export interface Point {
  /** Hours. */
  x: number;
  y: number;
}

export interface Growth {
  /** Per hour. */
  slope: number;
  /** Half the width of the 95 % confidence interval of the slope, per hour; infinite for fewer than four points. */
  within: number;
  points: number;
}

/**
 * The samples of a process hang together: a heap that is high stays high for a while. So the variance of the slope is
 * widened by what the residuals tell of their neighbours (first-order autocorrelation r: (1 + r) / (1 - r)).
 */
export function measureGrowth(points: readonly Point[]): Growth {
  const count = points.length;
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / count;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (count < 4 || spread === 0) {
    return { slope: 0, within: Number.POSITIVE_INFINITY, points: count };
  }
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const residuals = points.map(({ x, y }) => y - meanY - slope * (x - meanX));
  const squares = residuals.reduce((sum, each) => sum + each ** 2, 0);
  const neighbours = residuals.slice(1).reduce((sum, each, index) => sum + each * (residuals[index] ?? 0), 0);
  const correlation = squares === 0 ? 0 : Math.min(0.95, Math.max(0, neighbours / squares));
  const variance = squares / (count - 2) / spread;
  const within = 1.96 * Math.sqrt((variance * (1 + correlation)) / (1 - correlation));
  return { slope, within, points: count };
}

/** Over `most` an hour for sure: even the lower end of the interval is. */
export function growthProblem(what: string, unit: string, growth: Growth, most: number): string | null {
  const { slope, within, points } = growth;
  return slope - within <= most
    ? null
    : `${what} grows by ${slope.toFixed(2)} ± ${within.toFixed(2)} ${unit} an hour (${points} samples), over ${most}`;
}
