// Why something that was asked for was not done.
import { ApiError } from '../api/client.ts';
import { text } from '../text/text.ts';

export function Problem({ error }: { error: unknown }) {
  return (
    <p class="problem" role="alert">
      {sentenceOf(error)}
    </p>
  );
}

function sentenceOf(error: unknown): string {
  const t = text.value;
  if (!(error instanceof ApiError)) {
    return String(error);
  }
  if (error.status === 403) {
    return `${t.forbidden} ${t.forbiddenHelp}`;
  }
  return error.code === 'unreachable' ? `${t.unreachable} ${t.unreachableHelp}` : error.message;
}
