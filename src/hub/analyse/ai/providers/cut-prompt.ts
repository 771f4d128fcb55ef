// Whether a local server read the whole prompt: some read as much as fits, and answer 200.
import { estimateTokens } from '../prompt.ts';

/** Upper bound for the average UTF-8 bytes of a token: bytes divided by it are the fewest tokens that a prompt can have. */
const mostBytesOfToken = 5;
/** Shorter prompts fit into the context of every server. */
const shortestBytes = 2048;
const contexts = [2048, 4096, 8192, 16_384, 32_768, 65_536];

/** `tokens`: of the prompt, as the server counted them. */
export function isPromptCut(bytes: number, tokens: number): boolean {
  if (bytes < shortestBytes) {
    return false;
  }
  return (
    bytes > tokens * mostBytesOfToken ||
    contexts.some((size) => (tokens === size || tokens === size - 1) && estimateTokens(bytes) > size)
  );
}
