// Which lists are used, with which key, and what is never a threat.
import type { ComponentChildren } from 'preact';
import type { FeedName } from '#contract/threat.ts';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, ChoiceField, LinesField, readLines, SecretField } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';

const levels = ['warn', 'danger'] as const;

interface Props {
  saved: () => void;
  /** Shown below once this has loaded, so that nothing moves. */
  children: ComponentChildren;
}

export function FeedsForm({ saved, children }: Props) {
  const t = words.value.feeds;
  const names = text.value.feeds;
  const { value, error, isLoading, reload } = useAsked('GET /api/config/threat-feeds', {});
  const save = async (values: FormData) => {
    const isOn = (name: FeedName) => ({ enabled: values.has(name) });
    const authKey = readSecret(values, 'authKey');
    const body = {
      feeds: {
        feed_c2: isOn('feed_c2'),
        feed_ioc: isOn('feed_ioc'),
        feed_url: isOn('feed_url'),
        feed_drop: isOn('feed_drop'),
      },
      dropLevel: levels.find((level) => level === readText(values, 'dropLevel')),
      allowList: readLines(values, 'allowList'),
      ...(authKey === undefined ? {} : { authKey }),
      ...(values.has('clear') ? { clearAuthKey: true as const } : {}),
    };
    await ask('POST /api/config/threat-feeds', { body });
    reload();
    saved();
  };
  return (
    <>
      <Card title={t.settings} part="lists" isDimmed={isLoading}>
        <Failure error={error} reload={reload} />
        {value ? (
          <Form submit={words.value.save} done={words.value.saved} save={save}>
            {(Object.keys(names) as FeedName[]).map((name) => (
              <CheckField key={name} name={name} label={names[name]} isOn={value.feeds[name].enabled} />
            ))}
            <SecretField name="authKey" label={t.authKey} help={t.authKeyHelp} isSet={value.authKeySet} />
            {value.authKeySet ? <CheckField name="clear" label={t.clearKey} isOn={false} /> : null}
            <ChoiceField
              name="dropLevel"
              label={t.dropLevel}
              value={value.dropLevel}
              choices={levels.map((level) => ({ value: level, label: text.value.levels[level] }))}
            />
            <LinesField name="allowList" label={t.allowList} value={value.allowList} />
          </Form>
        ) : null}
      </Card>
      {value === null && error === null ? null : children}
    </>
  );
}
