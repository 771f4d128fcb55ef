// A part of a view with a heading.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  title: string;
  /** At the right of the heading. */
  aside?: ComponentChildren;
  /** Its data is being loaded again. */
  isDimmed?: boolean;
  kind?: string;
  children: ComponentChildren;
}

export function Card({ title, aside, isDimmed = false, kind = '', children }: Props) {
  const id = useId();
  return (
    <section class={`card ${kind}`} aria-labelledby={id} aria-busy={isDimmed}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      <div class={isDimmed ? 'dimmed' : ''}>{children}</div>
    </section>
  );
}
