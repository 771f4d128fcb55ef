// A call of the typed client that must be refused.
import { ClientError } from '#kernel/http/client.ts';

/** How the call was refused; throws when it was not. */
export async function refusal(call: Promise<unknown>): Promise<ClientError> {
  const answer = await call.catch((thrown: unknown) => thrown);
  if (!(answer instanceof ClientError)) {
    throw new Error(`it was not refused: ${JSON.stringify(answer)}`, { cause: answer });
  }
  return answer;
}
