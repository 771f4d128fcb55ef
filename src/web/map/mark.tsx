// The shapes of what a list names: an octagon for danger, a triangle for a warning.
export const shapes = { danger: 'M-4-9h8l5 5v8l-5 5h-8l-5-5v-8z', warn: 'M0-9 10 8h-20z' } as const;

export function Mark({ level, x, y }: { level: keyof typeof shapes; x: number; y: number }) {
  return <path class={`mark ${level}`} d={shapes[level]} transform={`translate(${x} ${y})`} />;
}
