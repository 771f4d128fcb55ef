// The block list: what is on it and why, a form to add to it, and the address of each format for who fetches it.
import { useState } from 'preact/hooks';
import type { BlockFormat } from '#contract/block-list.ts';
import { apiUrl, ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Failure } from '../../parts/note.tsx';
import { isolateName, joinWithDots } from '../../parts/outside.ts';
import { useEvents } from '../../state/live.ts';
import { useAsked } from '../../state/loaded.ts';
import { may } from '../../state/session.ts';
import { hrefTo } from '../../state/url.ts';
import { when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';

type Entry = Reply<'GET /api/blocklist/entries'>['entries'][number];

export function BlockList() {
  const t = words.value.blockList;
  const { value, error, isLoading, reload } = useAsked('GET /api/blocklist/entries', {});
  useEvents(['alerts', 'threat-feeds'], reload);
  /** A new form for the next entry. */
  const [added, setAdded] = useState(0);
  const add = async (values: FormData) => {
    const body = { value: readText(values, 'value'), note: readText(values, 'note') };
    await ask('POST /api/blocklist/entries', { body });
    setAdded(added + 1);
    reload();
  };
  return (
    <Card title={t.title} part="block-list" isDimmed={isLoading && value === null}>
      <p class="help">{t.help}</p>
      <Failure error={error} reload={reload} />
      {value?.entries.length === 0 ? <p class="empty">{t.empty}</p> : null}
      <ul class="items">
        {value?.entries.map((entry) => (
          <BlockedItem key={entry.value} entry={entry} reload={reload} />
        ))}
      </ul>
      {may('settings.write') ? (
        <Form key={added} submit={t.add} save={add}>
          <TextField name="value" label={t.value} help={t.valueHelp} required maxLength={253} autocomplete="off" />
          <TextField name="note" label={t.note} maxLength={200} autocomplete="off" />
        </Form>
      ) : null}
      <h3>{t.addresses}</h3>
      <p class="help">{t.addressesHelp}</p>
      {(Object.keys(t.formats) as BlockFormat[]).map((format) => (
        <CopyField key={format} label={t.formats[format]} value={apiUrl('/api/blocklist', { format }).href} />
      ))}
    </Card>
  );
}

function BlockedItem({ entry, reload }: { entry: Entry; reload: () => void }) {
  const t = words.value.blockList;
  const { value, added, alerts, lists, withheld } = entry;
  const feeds: Readonly<Record<string, string>> = text.value.feeds;
  const remove = async () => {
    await ask('DELETE /api/blocklist/entries/:id', { params: { id: added?.id ?? '' } });
    reload();
  };
  return (
    <li>
      <h3>
        <bdi>{value}</bdi>
      </h3>
      {added === null ? null : <p class="help">{joinWithDots([t.added(added.by), when(added.addedAt)])}</p>}
      {added?.note ? (
        <p>
          <q dir="auto">{added.note}</q>
        </p>
      ) : null}
      {alerts.map((id) => (
        <p key={id} class="help">
          <Link to={hrefTo('alerts', { state: 'all', alert: String(id) })}>{t.alert(String(id))}</Link>{' '}
          {joinWithDots(lists.map((list) => feeds[list] ?? list))}
        </p>
      ))}
      {withheld === null ? null : (
        <p class="state warn">
          <Icon name="warn" />
          <span>{t.withheld[withheld]}</span>
        </p>
      )}
      {added !== null && may('settings.write') ? (
        <p class="actions">
          <ConfirmButton label={words.value.remove} title={t.removeTitle(isolateName(value))} act={remove}>
            <p>{alerts.length === 0 ? t.removeHelp : t.removeStays}</p>
          </ConfirmButton>
        </p>
      ) : null}
    </li>
  );
}
