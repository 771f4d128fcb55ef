// Why something that was asked for was not done.
import { ApiError } from '../api/client.ts';
import { describeError } from './outcome.tsx';

export function Problem({ error }: { error: unknown }) {
  return (
    <p class="problem" role="alert" dir="auto">
      {error instanceof ApiError ? describeError(error) : String(error)}
    </p>
  );
}
