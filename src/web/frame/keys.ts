// All keyboard shortcuts. The handlers look them up here, and the help lists them.

interface Key {
  group: 'page' | 'log' | 'edges' | 'chart' | 'alerts';
  /** As `toCombination` writes them; any one of them is enough. */
  on: readonly string[];
}

export const keys = {
  search: { group: 'page', on: ['/', 'Ctrl+k', 'Meta+k'] },
  help: { group: 'page', on: ['?'] },
  close: { group: 'page', on: ['Escape'] },
  rowBefore: { group: 'log', on: ['ArrowUp'] },
  rowAfter: { group: 'log', on: ['ArrowDown'] },
  cellBefore: { group: 'log', on: ['ArrowLeft'] },
  cellAfter: { group: 'log', on: ['ArrowRight'] },
  openRow: { group: 'log', on: ['Enter'] },
  only: { group: 'log', on: ['f'] },
  not: { group: 'log', on: ['F'] },
  narrower: { group: 'edges', on: ['ArrowLeft'] },
  wider: { group: 'edges', on: ['ArrowRight'] },
  usualWidth: { group: 'edges', on: ['Enter'] },
  alertAfter: { group: 'alerts', on: ['j'] },
  alertBefore: { group: 'alerts', on: ['k'] },
  expect: { group: 'alerts', on: ['e'] },
  mute: { group: 'alerts', on: ['m'] },
  resolve: { group: 'alerts', on: ['r'] },
  undo: { group: 'alerts', on: ['u'] },
  barBefore: { group: 'chart', on: ['ArrowLeft'] },
  barAfter: { group: 'chart', on: ['ArrowRight'] },
  lessBars: { group: 'chart', on: ['Shift+ArrowLeft'] },
  moreBars: { group: 'chart', on: ['Shift+ArrowRight'] },
  zoom: { group: 'chart', on: ['Enter'] },
  noZoom: { group: 'chart', on: ['Escape'] },
} as const satisfies Record<string, Key>;

export type KeyName = keyof typeof keys;

type KeyPress = Readonly<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean> & { key: string }>;

export function isKey(name: KeyName, press: KeyPress): boolean {
  const on: readonly string[] = keys[name].on;
  return on.includes(toCombination(press));
}

/** Shift is named only for keys such as arrows: a letter shows it by its case. */
function toCombination({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  const held = [ctrlKey && 'Ctrl', metaKey && 'Meta', altKey && 'Alt', shiftKey && key.length > 1 && 'Shift'];
  return [...held.filter(Boolean), key].join('+');
}
