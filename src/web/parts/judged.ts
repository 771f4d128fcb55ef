// Says which threat lists the hub used to call a connection safe, and which are missing.
import type { Judged } from '#contract/connection-reports.ts';
import { joinWords } from '../text/format.ts';
import { text } from '../text/text.ts';

/** Returns a sentence on whether all threat lists were used, and if not, why. */
export function describeJudged({ judged, judgedWhy }: Judged): string {
  const t = text.value;
  const lists = joinWords(judgedWhy?.feeds.map((feed) => t.feeds[feed]) ?? []);
  return judgedWhy === null ? t.judged[judged] : `${t.judged[judged]} ${t.judgedWhy[judgedWhy.reason](lists)}`;
}
