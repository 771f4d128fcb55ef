// The note of a merged device: its own text, then those of its parts. Each text stays with the device it was written
// for, so that undoing a merge restores them.
import { limits } from '#contract/limits.ts';
import { clipText } from '#kernel/text/clip.ts';

/** A merge that holds now. */
export interface Part {
  /** Device ids. */
  keep: string;
  dropped: string;
  /** A note was written for the whole since: the dropped one's text is not added. */
  isCovered: boolean;
}

/** Note by device id of every device that has one and is shown; `parts` in the order they were merged. */
export function composeNotes(own: ReadonlyMap<string, string>, parts: readonly Part[]): Map<string, string> {
  const children = Map.groupBy(parts, ({ keep }) => keep);
  const isDropped = new Set(parts.map(({ dropped }) => dropped));
  const collectTexts = (deviceId: string): string[] => [
    ...[own.get(deviceId)].filter((text) => text !== undefined),
    ...(children.get(deviceId) ?? []).flatMap(({ dropped, isCovered }) => (isCovered ? [] : collectTexts(dropped))),
  ];
  const roots = [...own.keys(), ...children.keys()].filter((deviceId) => !isDropped.has(deviceId));
  const composed = [...new Set(roots)].map(
    (deviceId) => [deviceId, clipText(collectTexts(deviceId).join('\n'), limits.note)] as const,
  );
  return new Map(composed.filter(([, text]) => text !== ''));
}
