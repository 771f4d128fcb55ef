// The title of an alert: kind, device or how many there are, destination.
import type { Alert } from '../state/alerts.ts';
import { deviceHref } from '../state/range.ts';
import { alertDevices, alertKind, alertTarget } from './alert-words.ts';
import { Link } from './link.tsx';

interface Props {
  alert: Alert;
  /** Whether the name of the device, if there is only one, leads to its page; not within another link. */
  hasLink?: boolean;
}

export function AlertTitle({ alert, hasLink = false }: Props) {
  const target = alertTarget(alert);
  const name = alertDevices(alert);
  const key = alert.deviceCount > 1 ? null : (alert.lead.srcMac ?? alert.lead.src);
  return (
    <>
      {alertKind(alert.kind)}: {hasLink && key !== null ? <Link to={deviceHref(key)}>{name}</Link> : <bdi>{name}</bdi>}
      {target === null ? null : (
        <>
          {' → '}
          <bdi>{target}</bdi>
        </>
      )}
    </>
  );
}
