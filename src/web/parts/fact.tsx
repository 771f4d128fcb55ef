// One line of a list of facts: the name, the value, and in small letters the source or the precision of the value.
import type { ComponentChildren } from 'preact';
import { Time } from './time.tsx';

interface Props {
  name: string;
  source?: string | undefined;
  children: ComponentChildren;
}

export function Fact({ name, source, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {typeof children === 'string' ? <bdi>{children}</bdi> : children}
        {source ? (
          <small>
            <bdi>{source}</bdi>
          </small>
        ) : null}
      </dd>
    </div>
  );
}

/** `at` in epoch milliseconds. */
export function TimeFact({ name, source, at }: Omit<Props, 'children'> & { at: number }) {
  return (
    <Fact name={name} source={source}>
      <Time at={at} />
    </Fact>
  );
}
