// A time: its age within a day, else date and time. The tooltip has the exact instant.
import { exact, when } from '../text/format.ts';

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={exact(at)} title={exact(at)}>
      {when(at)}
    </time>
  );
}
