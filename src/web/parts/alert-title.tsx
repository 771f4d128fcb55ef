// What was detected, of whom: the direction of each name ends with it.
import type { Detection } from '../state/causes.ts';
import { deviceOf, kindOf, targetOf } from './alert-words.ts';

export function AlertTitle({ detection }: { detection: Detection }) {
  const target = targetOf(detection);
  return (
    <>
      {kindOf(detection.type)}: <bdi>{deviceOf(detection)}</bdi>
      {target === null ? null : (
        <>
          {' → '}
          <bdi>{target}</bdi>
        </>
      )}
    </>
  );
}
