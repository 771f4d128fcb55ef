// Why a destination is listed: the list and its age, its tag, and the reason.
import type { Reply } from '../api/client.ts';
import { age } from '../text/format.ts';
import { text } from '../text/text.ts';
import { joinWithDots } from './outside.ts';

type Known = NonNullable<Reply<'GET /api/connections/:id'>['threatEvidence']>;

export function Evidence({ evidence: { level, feedName, tag, why, list, retro } }: { evidence: Known }) {
  return (
    <p class={`evidence ${level}`}>
      <strong>{joinWithDots([feedName, tag])}</strong> <bdi>{why}</bdi>.{' '}
      {retro === null ? null : <bdi>{retro.message}. </bdi>}
      {list.checkedAt === null ? null : <small>{text.value.detail.listAge(age(list.checkedAt))}</small>}
    </p>
  );
}
