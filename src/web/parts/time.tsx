// A time: its age within a day, else date and time. The tooltip has the exact instant.
import { exact, when } from '../text/format.ts';

/** `format` writes an instant in another way than by its age. */
export function Time({ at, format = when }: { at: number; format?: (at: number) => string }) {
  return (
    <time dateTime={exact(at)} title={exact(at)}>
      {format(at)}
    </time>
  );
}
