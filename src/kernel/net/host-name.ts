// Host names that are safe to show: published names are untrusted text.
import { visibleText } from '../text/visible-text.ts';

/** Lower case without a dot at the end, letters, digits, `-`, `_` and `.`, at least one letter; `null` for anything else. */
export function parseHostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  return name.length <= 253 && /^(?=.*[a-z])[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/.test(name) && !name.includes('..')
    ? name
    : null;
}

/** A name for display: without invisible characters, at most 128 long; `null` when nothing is left. */
export function parseLabel(text: string): string | null {
  const label = visibleText(text.trim(), 128, ' ').trim();
  return label === '' ? null : label;
}
