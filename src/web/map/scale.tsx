// What the colours of the world map mean, in numbers of connections.
import { number } from '../text/format.ts';
import { words } from '../text/map/words.ts';

/** From 0.3, so that one connection is visible, to 1. */
export const opacityOf = (count: number, most: number): number => 0.3 + 0.7 * Math.sqrt(count / most);

/** The colours from one connection to the most that a country has. */
export function Scale({ most }: { most: number }) {
  const steps = [...new Set([1, Math.ceil(most / 16), Math.ceil(most / 4), most])];
  return (
    <ul class="legend" aria-label={words.value.scale}>
      {steps.map((count) => (
        <li key={count}>
          <svg viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
            <path class="country sample" d="M2 2h20v20H2z" fill-opacity={opacityOf(count, most)} />
          </svg>
          {number(count)}
        </li>
      ))}
    </ul>
  );
}
