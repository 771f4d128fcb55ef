// A part of a view with a heading.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { focusUnlessInMenu } from '../state/open-focus.ts';
import { hrefWith, navigate, query } from '../state/url.ts';

interface Props {
  title: string;
  /** At the right of the heading. */
  aside?: ComponentChildren;
  /** Its data is being loaded again. */
  isDimmed?: boolean;
  kind?: string;
  /** The card gets the focus when the parameter `part` of the URL has this name. */
  part?: string;
  children: ComponentChildren;
}

export function Card({ title, aside, isDimmed = false, kind = '', part, children }: Props) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const isWanted = part !== undefined && query.value.get('part') === part;
  useEffect(() => {
    if (isWanted) {
      focusUnlessInMenu(card.current);
      // Without the parameter, the same link leads here again, and a reload does not move the focus.
      navigate(hrefWith({ part: null }), 'replace');
    }
  }, [isWanted]);
  return (
    <section
      ref={card}
      class={`card ${kind}`}
      tabIndex={part === undefined ? undefined : -1}
      aria-labelledby={id}
      aria-busy={isDimmed}
    >
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      <div class={isDimmed ? 'dimmed' : ''}>{children}</div>
    </section>
  );
}
