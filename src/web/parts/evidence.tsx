// Why a destination is listed: the list and its age, its tag, and the reason.
import type { Reply } from '../api/client.ts';
import { age } from '../text/format.ts';
import { describeRetro } from '../text/hub/words.ts';
import { text } from '../text/text.ts';
import { isolateName, joinWithDots } from './outside.ts';

type Known = NonNullable<Reply<'GET /api/connections/:id'>['threatEvidence']>;

/** `dport` is the destination port of the connection. */
export function Evidence({ evidence, dport }: { evidence: Known; dport: number }) {
  const { level, feedName, tag, reason, list, retro } = evidence;
  return (
    <p class={`evidence ${level}`}>
      <strong>{joinWithDots([feedName, tag])}</strong>{' '}
      {text.value.detail.listedWhy[reason](describeListed(evidence), String(dport))}{' '}
      {retro === null ? null : <bdi>{describeRetro(retro)} </bdi>}
      {list.checkedAt === null ? null : <small>{text.value.detail.listAge(age(list.checkedAt))}</small>}
    </p>
  );
}

function describeListed({ matchType, matchValue, port }: Known): string {
  const t = text.value.detail.listed;
  const value = isolateName(matchValue);
  return matchType === 'ip' && port !== null ? t.port(value, String(port)) : t[matchType](value);
}
