// What to do about an alert, in order.
import { alertDevice, alertTarget } from '../parts/alert-words.ts';
import { isolateName } from '../parts/outside.ts';
import { LinkButton } from '../parts/permitted.tsx';
import type { Alert } from '../state/alerts.ts';
import { may } from '../state/session.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';

/** `listed` is the destination when a threat list names it, else null. */
export function WhatToDo({ alert, listed }: { alert: Alert; listed: string | null }) {
  const t = text.value.alerts.whatToDo;
  const device = alert.deviceCount > 1 ? t.several : isolateName(alertDevice(alert.lead));
  const target = isolateName(alertTarget(alert) ?? '');
  const steps =
    listed !== null
      ? [t.ask(device, target), t.clean(device)]
      : alert.kind === 'beacon'
        ? [t.find(device, target), t.expected, t.clean(device)]
        : [t.known(device), t.unknown];
  return (
    <section>
      <h3>{t.title}</h3>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
        {listed === null ? null : (
          <li>
            {t.trusted}{' '}
            <LinkButton to={hrefTo('settings', { section: 'feeds', allow: listed })} needs="settings.write">
              {t.allow}
            </LinkButton>{' '}
            {may('settings.write') ? null : <small>{text.value.roleMayNot}</small>}
          </li>
        )}
      </ol>
    </section>
  );
}
