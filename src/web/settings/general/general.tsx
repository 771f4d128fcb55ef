// How long connections are stored, where home is, and how much room there is.
import type { retentionChoices } from '#contract/config.ts';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ChoiceField, TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { type Language, languages } from '../../state/preferences.ts';
import { bytes, number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';

/** Fails to compile when the contract has other values. */
const choices: typeof retentionChoices = [7, 30, 90, 180, 365, 730];

export function General() {
  const t = words.value.general;
  const { value, error, isLoading, reload } = useLoaded('general', (signal) =>
    Promise.all([ask('GET /api/config/general', {}, signal), ask('GET /api/status', {}, signal)]),
  );
  const save = async (values: FormData) => {
    const body = {
      retentionDays: readText(values, 'retentionDays'),
      homeCountry: readText(values, 'homeCountry').toUpperCase(),
      language: readText(values, 'language') as Language,
    };
    await ask('POST /api/config/general', { body });
    reload();
  };
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const [{ retentionDays, homeCountry, language }, { storage }] = value;
  const { freeBytes, totalBytes } = storage;
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      <Card title={words.value.sections.general} part="general" isDimmed={isLoading}>
        <Form submit={words.value.save} done={words.value.saved} save={save}>
          <ChoiceField
            name="retentionDays"
            label={t.retention}
            help={t.retentionHelp}
            value={String(retentionDays)}
            choices={choices.map((days) => ({ value: String(days), label: t.days(number(days)) }))}
          />
          <TextField
            name="homeCountry"
            label={t.homeCountry}
            help={t.homeCountryHelp}
            value={homeCountry}
            required
            pattern="[A-Za-z]{2}"
            maxLength={2}
          />
          <ChoiceField
            name="language"
            label={t.language}
            value={language}
            choices={languages.map((one) => ({ value: one, label: t.languages[one] }))}
          />
        </Form>
      </Card>
      <Card title={t.disk} part="disk">
        <p>
          {freeBytes === null || totalBytes === null ? t.diskUnknown : t.diskFree(bytes(freeBytes), bytes(totalBytes))}
        </p>
      </Card>
    </div>
  );
}
