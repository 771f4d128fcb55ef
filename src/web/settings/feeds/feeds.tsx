// The threat lists: how each is doing, which are used, what is never a threat, and the keys of the manual look-up.
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Message } from '../../parts/message.tsx';
import { Failure, Note, Warning } from '../../parts/note.tsx';
import { joinWithDots } from '../../parts/outside.ts';
import { useEvents } from '../../state/live.ts';
import { useAsked, useLoaded } from '../../state/loaded.ts';
import { range } from '../../state/range.ts';
import { may } from '../../state/session.ts';
import { number, when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';
import { FormCard } from '../form/form-card.tsx';
import { AllowList } from './allow-list.tsx';
import { BlockList } from './block-list.tsx';
import { ReputationForm } from './reputation-form.tsx';

type Feeds = Reply<'GET /api/threat/feeds'>;
type Feed = Pick<Feeds['feeds'][number], 'state' | 'message' | 'messageFacts' | 'entries' | 'fetchedAt'> &
  Partial<Feeds['feeds'][number]>;

export function Feeds() {
  const t = words.value.feeds;
  // Feeds become old without an event: they are loaded again once a minute.
  const { value, error, isLoading, reload } = useAsked('GET /api/threat/feeds', {}, range.value.to);
  useEvents(['threat-feeds'], reload);
  return (
    <div class="stack">
      <Card title={words.value.sections.feeds} part="feeds" isDimmed={isLoading && value === null}>
        <Failure error={error} reload={reload} />
        {value && !value.available ? <Warning>{t.nothing}</Warning> : null}
        <ul class="items">
          {value?.feeds.map((feed) => (
            <Row key={feed.id} name={feed.name} feed={feed} />
          ))}
          {value ? <Row name={t.falsePositives} feed={value.falsePositives} /> : null}
        </ul>
      </Card>
      {value === null && error === null ? null : <Forms saved={reload} />}
      {value === null && error === null ? null : <BlockList />}
    </div>
  );
}

/** Shown below once what is above has loaded, so that nothing moves. */
function Forms({ saved }: { saved: () => void }) {
  return may('settings.write') ? (
    <LoadedForms saved={saved} />
  ) : (
    <Note title={text.value.forbidden} help={text.value.forbiddenHelp} />
  );
}

function LoadedForms({ saved }: { saved: () => void }) {
  const t = words.value.feeds;
  const { feeds: names, levels } = text.value;
  const { value, error, reload } = useLoaded('feeds', (signal) =>
    Promise.all([ask('GET /api/config/threat-feeds', {}, signal), ask('GET /api/config/manual-threat', {}, signal)]),
  );
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const [config, reputation] = value;
  const reloadAll = () => {
    reload();
    saved();
  };
  const feed = (name: keyof typeof names) => ({ title: '', enabled: names[name] });
  const feeds = {
    title: '',
    feed_c2: feed('feed_c2'),
    feed_ioc: feed('feed_ioc'),
    feed_url: feed('feed_url'),
    feed_drop: feed('feed_drop'),
  };
  return (
    <>
      <FormCard
        title={t.settings}
        part="lists"
        route="POST /api/config/threat-feeds"
        words={{ ...t, feeds, dropLevelChoices: levels }}
        only={['feeds', 'authKey', 'clearAuthKey', 'dropLevel']}
        values={config}
        saved={reloadAll}
      />
      <AllowList stored={config.allowList} saved={reloadAll} />
      <ReputationForm config={reputation} saved={reload} />
    </>
  );
}

function Row({ name, feed }: { name: string; feed: Feed }) {
  const t = words.value.feeds;
  const { state, message, messageFacts, entries, fetchedAt, checkedAt, nextAt, credit, terms } = feed;
  const isFine = state === 'ok' || state === 'empty' || state === 'disabled';
  const confirmed = checkedAt ?? fetchedAt;
  return (
    <li>
      <h3>{name}</h3>
      <p class={isFine ? 'state' : 'state warn'}>
        {isFine ? null : <Icon name="warn" />}
        <strong>{t.states[state]}</strong>
        <span>{t.entries(entries, number(entries))}</span>
        {confirmed === null ? null : <span>{t.confirmed(when(confirmed))}</span>}
        {nextAt ? <span>{t.next(when(nextAt))}</span> : null}
      </p>
      <Message message={message} messageFacts={messageFacts} />
      {credit === undefined ? null : (
        <p class="help" lang="en">
          {joinWithDots([credit, terms])}
        </p>
      )}
    </li>
  );
}
