// One cause in a list of alerts: level, title, reasons, count and time of the last detection.
import type { ComponentChildren } from 'preact';
import type { Cause } from '../state/causes.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { AlertTitle } from './alert-title.tsx';
import { alertReasons } from './alert-words.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { isolateName } from './outside.ts';
import { Time } from './time.tsx';

interface Props {
  cause: Cause;
  /** The URL that shows its details. */
  to: string;
  /** Buttons and links at its end. */
  children: ComponentChildren;
}

export function AlertRow({ cause: { mainDetection, all, isDanger }, to, children }: Props) {
  const isNews = mainDetection.type === 'new_device';
  const level = isDanger ? 'danger' : 'warn';
  const often = all.length === 1 ? [] : [text.value.alerts.times(number(all.length))];
  return (
    <li class={isNews ? '' : level}>
      <Icon name={isNews ? 'devices' : level} />
      <div>
        <p class="alert-title">
          <Link to={to}>
            <AlertTitle detection={mainDetection} />
          </Link>
        </p>
        <p>
          {[...alertReasons(mainDetection), ...often].map((part) => `${isolateName(part)} · `)}
          <Time at={all[0]?.detectedAt ?? mainDetection.detectedAt} />
        </p>
      </div>
      {children}
    </li>
  );
}
