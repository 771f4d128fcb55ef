// Says that an answer is awaited, and for how long.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Provider, providerName } from '../ai/provider.ts';
import { every, now } from '../clock.ts';
import { words } from '../text/ai/words.ts';
import { duration } from '../text/format.ts';

interface Props {
  provider: Provider;
  /** Epoch milliseconds. */
  since: number;
  children: ComponentChildren;
}

export function Waiting({ provider, since, children }: Props) {
  const [passed, setPassed] = useState(0);
  useEffect(() => every(1000, () => setPassed(now() - since)), [since]);
  return (
    <div class="actions waiting">
      <progress aria-hidden="true" />
      <span role="status">{words.value.waiting(providerName(provider))}</span>
      {/* Each second would be read out. */}
      <span aria-hidden="true">{words.value.elapsed(duration(passed))}</span>
      {children}
    </div>
  );
}
