// What this hub is, what it can do now, and whose data it shows.

import { Card } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Link } from '../../parts/link.tsx';
import { MessageText } from '../../parts/message.tsx';
import { Failure } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { hrefTo } from '../../state/url.ts';
import { duration } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';

export function About() {
  const t = words.value.about;
  const { value, error, reload } = useAsked('GET /api/status', {});
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const { version, commit, schemaVersion, uptimeMs, offlineMode, features, enrichmentData } = value;
  const names: Readonly<Record<string, string>> = t.featureNames;
  const reasons: Readonly<Record<string, string>> = t.reasons;
  const facts = [
    [t.version, version],
    [t.commit, commit],
    [t.schema, String(schemaVersion)],
    [t.uptime, duration(uptimeMs)],
    [t.offline, offlineMode ? t.offlineOn : t.offlineOff],
    [t.dataVersion, enrichmentData.version ?? enrichmentData.error],
  ] as const;
  return (
    <div class="stack">
      <Card title={words.value.sections.about} part="about">
        <dl class="facts">
          {facts.map(([name, shown]) =>
            shown === null ? null : (
              <Fact key={name} name={name}>
                {shown}
              </Fact>
            ),
          )}
        </dl>
        <p class="help">{t.licence}</p>
        <p>
          <Link to={hrefTo('docs')}>{text.value.places.docs}</Link>
        </p>
      </Card>
      <Card title={t.warnings} part="warnings">
        {value.warnings.length === 0 ? <p class="empty">{t.noWarnings}</p> : null}
        <ul class="hints">
          {value.warnings.map((warning, index) => (
            <li key={warning}>
              <MessageText message={warning} messageFacts={value.warningFacts.slice(index, index + 1)} />
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t.features}>
        <dl class="facts">
          {Object.entries(features).map(([name, { enabled, reason }]) => (
            <Fact key={name} name={names[name] ?? name}>
              {enabled ? t.on : (reasons[reason ?? ''] ?? reason)}
            </Fact>
          ))}
        </dl>
      </Card>
      <Card title={t.attributions}>
        <ul class="hints">
          {enrichmentData.attributions.map(({ text: sentence, licence, url }) => (
            <li key={sentence}>
              <a lang="en" href={url} target="_blank" rel="noreferrer">
                {sentence}
              </a>{' '}
              <small>{licence}</small>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
