// A part of the page that is loaded when it is shown first.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { text } from '../text/text.ts';

/** Shows nothing until `load` has resolved, and says it where it does not. */
export function loadLater<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Late(props: P) {
    const [Part, setPart] = useState<ComponentType<P> | null>(null);
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      load().then(
        (part) => setPart(() => part),
        () => setMissing(true),
      );
    }, []);
    if (isMissing) {
      return (
        <p class="problem" role="alert">
          {text.value.unreachable}
        </p>
      );
    }
    return Part && <Part {...props} />;
  };
}
