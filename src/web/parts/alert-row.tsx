// One alert in a list: level, title, reasons, how often, and since when.
import type { ComponentChildren } from 'preact';
import type { Alert } from '../state/alerts.ts';
import { navigate } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { AlertTitle } from './alert-title.tsx';
import { alertReasons } from './alert-words.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { dot, isolateName } from './outside.ts';
import { openOnClick } from './row-click.ts';
import { Time } from './time.tsx';

interface Props {
  alert: Alert;
  /** The URL that shows its details. */
  to: string;
  /** The parameter of `to` that opens them over this view. */
  over?: string;
  /** Shown before the icon, such as a checkbox. */
  before?: ComponentChildren;
  /** Shown below the reasons, such as the state. */
  about?: ComponentChildren;
  /** Buttons and links at its end. */
  children: ComponentChildren;
}

export function AlertRow({ alert, to, over, before, about, children }: Props) {
  const { level } = alert;
  return (
    <li class={level === 'info' ? '' : level} data-alert={alert.id} {...openOnClick(() => navigate(to, 'push', over))}>
      {before}
      <Icon name={level === 'info' ? 'devices' : level} />
      <div>
        <p class="alert-title">
          <Link to={to} over={over}>
            <AlertTitle alert={alert} />
          </Link>
        </p>
        <p>
          {alertReasons(alert).map((part) => `${isolateName(part)}${dot}`)}
          <Seen alert={alert} />
        </p>
        {about}
      </div>
      {children}
    </li>
  );
}

function Seen({ alert: { times, firstAt, lastAt } }: { alert: Alert }) {
  const t = text.value.alerts;
  if (times === 1) {
    return <Time at={lastAt} />;
  }
  return (
    <>
      {t.times(times, number(times))}
      {dot}
      {t.first} <Time at={firstAt} />
      {dot}
      {t.last} <Time at={lastAt} />
    </>
  );
}
