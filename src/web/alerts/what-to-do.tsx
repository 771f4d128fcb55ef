// What to do about an alert, in order.
import { alertDevice, alertTarget } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { isolateName } from '../parts/outside.ts';
import type { Alert } from '../state/alerts.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';

/** `isListed`: a threat list names the destination. */
export function WhatToDo({ alert, isListed }: { alert: Alert; isListed: boolean }) {
  const t = text.value.alerts.whatToDo;
  const device = alert.deviceCount > 1 ? t.several : isolateName(alertDevice(alert.lead));
  const target = isolateName(alertTarget(alert) ?? '');
  const steps = isListed
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
        {isListed ? (
          <li>
            {t.trusted} <Link to={hrefTo('settings', { section: 'feeds' })}>{t.feeds}</Link>
          </li>
        ) : null}
      </ol>
    </section>
  );
}
