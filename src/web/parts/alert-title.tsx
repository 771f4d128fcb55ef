// The title of an alert: kind, device or how many there are, destination.
import type { Alert } from '../state/alerts.ts';
import { alertDevices, alertKind, alertTarget } from './alert-words.ts';

export function AlertTitle({ alert }: { alert: Alert }) {
  const target = alertTarget(alert);
  return (
    <>
      {alertKind(alert.kind)}: <bdi>{alertDevices(alert)}</bdi>
      {target === null ? null : (
        <>
          {' → '}
          <bdi>{target}</bdi>
        </>
      )}
    </>
  );
}
