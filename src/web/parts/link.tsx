// A link within the page. Its `href` is real, so that it can be opened in another tab.
import type { ComponentChildren } from 'preact';
import { navigate } from '../state/url.ts';

interface Props {
  to: string;
  /** The parameter of `to` that opens a drawer over this view, so that closing it leads back here. */
  over?: string | undefined;
  class?: string;
  'aria-current'?: 'page' | 'true' | undefined;
  'aria-label'?: string;
  children: ComponentChildren;
}

export function Link({ to, over, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      navigate(to, 'push', over);
    }
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {typeof children === 'string' ? <bdi>{children}</bdi> : children}
    </a>
  );
}
