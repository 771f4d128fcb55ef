// The threat level as a word and a shape, never a colour alone. Safe shows nothing.
import type { ThreatLevel } from '#contract/model.ts';
import { text } from '../text/text.ts';
import { Icon } from './icon.tsx';

export function Level({ level }: { level: ThreatLevel }) {
  if (level === 'safe') {
    return null;
  }
  return (
    <span class={`level ${level}`}>
      <Icon name={level} />
      {text.value.levels[level]}
    </span>
  );
}
