// How complete the judgement behind "safe" is, in words.
import type { Judged } from '#contract/connection-reports.ts';
import { text } from '../text/text.ts';

/** Whether all threat lists were used, and why not. */
export function describeJudged({ judged, judgedWhy }: Judged): string {
  const t = text.value;
  const lists = judgedWhy?.feeds.map((feed) => t.feeds[feed]).join(', ') ?? '';
  return judgedWhy === null ? t.judged[judged] : `${t.judged[judged]} ${t.judgedWhy[judgedWhy.reason](lists)}`;
}
