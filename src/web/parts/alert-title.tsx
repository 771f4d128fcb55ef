// The title of an alert: kind, device, destination.
import type { Detection } from '../state/causes.ts';
import { alertDevice, alertKind, alertTarget } from './alert-words.ts';

export function AlertTitle({ detection }: { detection: Detection }) {
  const target = alertTarget(detection);
  return (
    <>
      {alertKind(detection.type)}: <bdi>{alertDevice(detection)}</bdi>
      {target === null ? null : (
        <>
          {' → '}
          <bdi>{target}</bdi>
        </>
      )}
    </>
  );
}
