// A part of the page that is loaded when it is shown first.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { text } from '../text/text.ts';

/** Until `load` has resolved, shows nothing, or with `saysLoading` that it is loading. Shows an error when it rejects. */
export function loadLater<P extends object>(
  load: () => Promise<ComponentType<P>>,
  saysLoading = false,
): ComponentType<P> {
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
    if (Part === null) {
      return saysLoading ? <p class="note">{text.value.loading}</p> : null;
    }
    return <Part {...props} />;
  };
}

/** For a place or a section of the settings: shows that it is loading. */
export const loadView = (load: () => Promise<ComponentType>) => loadLater(load, true);
