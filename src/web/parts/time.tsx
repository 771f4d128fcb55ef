// An instant: an age within a day, else date and time; the exact one for who points at it.
import { exact, when } from '../text/format.ts';

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={exact(at)} title={exact(at)}>
      {when(at)}
    </time>
  );
}
