// Widths of columns that a person chose, as text: `src-240.dst-120`.
export type Widths = Readonly<Record<string, number>>;

/** In pixels. A narrower column could not be dragged any more; a wider one hides all others. */
export const leastWidth = 48;
export const mostWidth = 800;

export const clampWidth = (width: number): number => Math.round(Math.min(mostWidth, Math.max(leastWidth, width)));

/** Leaves out names that are not in `known` and widths that are no whole numbers; moves the others into the bounds. */
export function parseWidths(text: string, known: readonly string[]): Widths {
  const widths: Record<string, number> = {};
  for (const part of text.split('.').filter(Boolean)) {
    const [, name = '', width] = /^([a-zA-Z]+)-(\d{1,6})$/.exec(part) ?? [];
    if (known.includes(name)) {
      widths[name] = clampWidth(Number(width));
    }
  }
  return widths;
}

export function formatWidths(widths: Widths): string {
  return Object.entries(widths)
    .map(([name, width]) => `${name}-${width}`)
    .join('.');
}
