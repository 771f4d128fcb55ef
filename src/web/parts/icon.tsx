// Icons. Each stands beside a word that says the same.
const paths = {
  overview: 'M3 11 12 4l9 7M5 10v10h5v-6h4v6h5V10',
  connections: 'M4 6h16M4 12h16M4 18h10',
  map: 'M5 7a2 2 0 1 0 0-.1M19 6a2 2 0 1 0 0-.1M17 19a2 2 0 1 0 0-.1M7 7h10M6.500 8.500l9 9',
  devices: 'M3 5h18v11H3zM9 20h6M12 16v4',
  alerts: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  insights: 'M4 20V4M4 20h16M8 16v-4M13 16V8M18 16v-6',
  warn: 'M12 3 22 20H2zM12 10v4M12 17v.5',
  danger: 'M8 2h8l6 6v8l-6 6H8l-6-6V8zM12 7v6M12 16v.5',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 4.5v5M17 4.5v5M7 14.5v5M11 14.5v5',
  more: 'M5 12h.5M12 12h.5M19 12h.5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  close: 'M5 5l14 14M19 5 5 19',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
