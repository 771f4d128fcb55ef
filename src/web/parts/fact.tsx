// One line of a list of facts: a name, what is known, and in small letters where that comes from.
import type { ComponentChildren } from 'preact';

interface Props {
  name: string;
  from?: string | undefined;
  children: ComponentChildren;
}

export function Fact({ name, from, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {typeof children === 'string' ? <bdi>{children}</bdi> : children}
        {from ? (
          <small>
            <bdi>{from}</bdi>
          </small>
        ) : null}
      </dd>
    </div>
  );
}
