// What shapes and strokes mean, in words.
import { words } from '../text/map/words.ts';
import { Mark } from './mark.tsx';

const samples = {
  danger: <Mark level="danger" x={12} y={12} />,
  warn: <Mark level="warn" x={12} y={12} />,
  device: <path class="sample device" d="M5 5h14v14H5z" />,
  target: <circle class="sample target" cx={12} cy={12} r={8} />,
  place: <circle class="place" cx={12} cy={12} r={4} />,
} as const;

export function Legend({ kinds }: { kinds: readonly (keyof typeof samples)[] }) {
  const w = words.value;
  const said = {
    danger: w.legendDanger,
    warn: w.legendWarn,
    device: w.legendDevice,
    target: w.legendTarget,
    place: w.legendPlace,
  };
  return (
    <ul class="legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <svg viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
            {samples[kind]}
          </svg>
          {said[kind]}
        </li>
      ))}
    </ul>
  );
}
