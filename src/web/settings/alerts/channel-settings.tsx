// Where detections go, and a trial of what other choices would have told before they are saved.
import { forms } from 'virtual:forms';
import { ask, type Input, type Reply } from '../../api/client.ts';
import { Time } from '../../parts/time.tsx';
import { dateTime, number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';
import { FormCard } from '../form/form-card.tsx';
import { readFields } from '../form/read-fields.ts';
import { useTrial } from './use-trial.tsx';

const route = 'POST /api/config/detection-notifications';
const trial = 'POST /api/detections/preview';
type Found = Reply<typeof trial>;
type Change = Found['changes'][number];

export function ChannelSettings({ config, saved }: { config: object; saved: () => void }) {
  const { channels, detectionTrial: t } = words.value;
  const { found, button, progress, outcome } = useTrial(t.begin, (values, signal) => {
    const detection = readFields(forms[route], values) as Extract<Input<typeof route>, { body: unknown }>['body'];
    return ask(trial, { body: { settings: { detection } } }, signal);
  });
  return (
    <FormCard
      title={channels.title}
      part="channels"
      help={channels.help}
      route={route}
      words={channels}
      values={config}
      saved={saved}
      more={button}
      after={
        <>
          <p class="help">{t.help}</p>
          {progress}
          <div role="status">{found === null ? null : <Counts found={found} />}</div>
          {outcome}
          {found === null ? null : <Changes found={found} />}
        </>
      }
    />
  );
}

function Counts({ found: { kinds } }: { found: Found }) {
  const t = words.value.detectionTrial;
  return kinds.map(({ type, given, saved }) => (
    <p key={type}>
      {t.kind(
        text.value.alerts.types[type],
        number(given.chat),
        number(saved.chat),
        number(given.history),
        number(saved.history),
      )}
    </p>
  ));
}

function Changes({ found }: { found: Found }) {
  const t = words.value.detectionTrial;
  const { from, to, changes, more, coverage, truncated } = found;
  return (
    <>
      <p class="help">
        {t.period(dateTime(Math.max(from, coverage.logFrom ?? from)), dateTime(to))}
        {coverage.coarseHours === 0 ? null : ` ${t.coarse(number(coverage.coarseHours))}`}
        {truncated ? ` ${t.truncated}` : null}
      </p>
      {changes.length === 0 ? <p class="empty">{t.none}</p> : null}
      <ul class="rows told-beacons">
        {changes.map((one) => (
          <Row key={[one.type, one.src, one.dst, one.dport, one.level, one.at].join()} change={one} />
        ))}
      </ul>
      {more === 0 ? null : <p class="help">{t.more(number(more))}</p>}
    </>
  );
}

function Row({ change }: { change: Change }) {
  const t = words.value.detectionTrial;
  const { type, at, src, srcName, dst, dstHost, dport, proto, saved, given } = change;
  const nameTo = ({ chat, history }: Change['given']) =>
    [chat ? t.chat : null, history ? t.history : null].filter((part) => part !== null).join(', ') || t.nothing;
  return (
    <li>
      <span dir="auto">
        {[srcName ?? src, dstHost ?? dst].filter((part) => part !== null).join(' → ')}{' '}
        <small>
          {[text.value.alerts.types[type], dst && `${proto} ${dport}`].filter((part) => part !== null).join(', ')}
        </small>
      </span>
      <span>
        <Time at={at} format={dateTime} /> <small>{t.change(nameTo(saved), nameTo(given))}</small>
      </span>
    </li>
  );
}
