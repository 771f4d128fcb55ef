// One detection in a list: a shape for how bad it is, what it is, why, and when.
import type { ComponentChildren } from 'preact';
import type { Detection } from '../state/attention.ts';
import { titleOf, whyOf } from './alert-words.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { Time } from './time.tsx';

interface Props {
  detection: Detection;
  isDanger: boolean;
  /** The address that shows all of it. */
  to: string;
  /** Behind the reasons. */
  more?: readonly string[];
  /** When it was detected last; that of `detection` when absent. */
  at?: number;
  /** What can be done. */
  children: ComponentChildren;
}

export function AlertRow({ detection, isDanger, to, more = [], at = detection.detectedAt, children }: Props) {
  const isNews = detection.type === 'new_device';
  const level = isDanger ? 'danger' : 'warn';
  return (
    <li class={isNews ? '' : level}>
      <Icon name={isNews ? 'devices' : level} />
      <div>
        <p class="alert-title">
          <Link to={to}>{titleOf(detection)}</Link>
        </p>
        <p>
          {[...whyOf(detection), ...more].map((part) => `${part} · `)}
          <Time at={at} />
        </p>
      </div>
      {children}
    </li>
  );
}
