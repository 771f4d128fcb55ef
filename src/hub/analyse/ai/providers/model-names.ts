// Which of the listed models are for text, as far as their names show it.
import { limits } from '#contract/limits.ts';
import { visibleText } from '#kernel/text/visible-text.ts';

/** Parts of names of models for pictures, sound, films, vectors, ranking and filtering. */
const specialised =
  /embed|rerank|moderation|image|dall-e|canvas|diffusion|stability|imagen|sora|video|reel|marengo|pegasus|audio|realtime|speech|sonic|tts|transcribe|whisper|voice/i;

/** Sorted and each once, 200 at most; `ids` is untrusted. */
export function selectTextModels(ids: readonly unknown[], isMore: (id: string) => boolean = () => true): string[] {
  const names = ids.filter((id): id is string => typeof id === 'string' && isName(id));
  const fit = names.filter((id) => !specialised.test(id) && isMore(id));
  return [...new Set(fit)].sort().slice(0, limits.aiModels);
}

function isName(id: string): boolean {
  return id !== '' && id.length <= limits.aiModelArn && id === id.trim() && id === visibleText(id, limits.aiModelArn);
}
