// Buttons that need a permission. Without it they are disabled, and a sentence says why.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Permission } from '#contract/access.ts';
import { may } from '../state/session.ts';
import { text } from '../text/text.ts';
import { Link } from './link.tsx';

interface Props {
  needs: Permission;
  children: ComponentChildren;
}

export function Permitted({ needs, children }: Props) {
  const id = useId();
  if (may(needs)) {
    return <div class="actions">{children}</div>;
  }
  return (
    <fieldset class="actions permitted" disabled aria-labelledby={id}>
      {children}
      <small id={id}>{text.value.roleMayNot}</small>
    </fieldset>
  );
}

/** A link that looks like a button. Without the permission it is a disabled button, since a link cannot be disabled. */
export function LinkButton({ to, kind = '', needs, children }: Props & { to: string; kind?: 'main' | '' }) {
  return may(needs) ? (
    <Link class={`button ${kind}`} to={to}>
      {children}
    </Link>
  ) : (
    <button type="button" class={kind} disabled>
      {children}
    </button>
  );
}
