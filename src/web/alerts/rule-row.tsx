// One rule: what it covers, how long, why, who made it. Its end and reason can be changed; it can be ended.
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { now } from '../clock.ts';
import type { Device } from '../devices/names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { closeOnEscape } from '../parts/escape.ts';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { Form, readText } from '../parts/form.tsx';
import { Link } from '../parts/link.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Permitted } from '../parts/permitted.tsx';
import { useOpenFocus } from '../state/open-focus.ts';
import { hrefWith } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { when } from '../text/format.ts';
import { text } from '../text/text.ts';
import { showRuleChange } from './act.ts';
import { type Duration, durations, toEnd } from './durations.ts';
import { describeEnd, describeRule, type Rule } from './rule-words.ts';

export function RuleRow({ rule, devices }: { rule: Rule; devices: readonly Device[] | undefined }) {
  const t = words.value;
  const { id, effect, until, reason, by, createdAt, alertId } = rule;
  const [isEdited, setEdited] = useState(false);
  const { opener, inner } = useOpenFocus<HTMLButtonElement, HTMLFieldSetElement>(isEdited);
  const covers = describeRule(rule, devices);
  const end = async () =>
    showRuleChange('end_rule', await ask('DELETE /api/alert-rules/:id', { params: { id: String(id) } }));
  return (
    <li>
      <h2>
        {t.rules.effects[effect]}: {covers}
      </h2>
      <p class="help">{joinWithDots([describeEnd(until), t.rules.made(when(createdAt)), t.by(by ?? t.hub)])}</p>
      {reason === null || isEdited ? null : (
        <p>
          <q dir="auto">{reason}</q>
        </p>
      )}
      {isEdited ? (
        <fieldset ref={inner} class="confirm" tabIndex={-1} onKeyDown={closeOnEscape(() => setEdited(false))}>
          <legend>{t.rules.edit}</legend>
          <EditRule rule={rule} close={() => setEdited(false)} />
        </fieldset>
      ) : (
        <div class="actions">
          {alertId === null ? null : (
            <Link class="button" to={hrefWith({ view: null, q: null, state: 'all', alert: String(alertId) })}>
              {t.rules.show}
            </Link>
          )}
          <Permitted needs="alerts.write">
            <button type="button" ref={opener} aria-label={t.rules.editOf(covers)} onClick={() => setEdited(true)}>
              {t.rules.edit}
            </button>
            <Confirm label={t.rules.end} question={t.rules.endQuestion} work={end} />
          </Permitted>
        </div>
      )}
    </li>
  );
}

function EditRule({ rule: { id, until, reason }, close }: { rule: Rule; close: () => void }) {
  const t = words.value;
  const ends = [
    { value: 'keep', label: t.rules.keep(describeEnd(until)) },
    ...durations.map((one) => ({
      value: one,
      label: one === 'good' ? t.durations.good : t.rules.fromNow(t.durations[one]),
    })),
  ];
  const save = async (values: FormData) => {
    const end = readText(values, 'end');
    const body = {
      reason: readText(values, 'reason'),
      ...(end === 'keep' ? {} : { until: toEnd(end as Duration, now()) }),
    };
    showRuleChange('change_rule', await ask('PUT /api/alert-rules/:id', { params: { id: String(id) }, body }));
    close();
  };
  return (
    <Form
      submit={t.rules.save}
      save={save}
      more={
        <button type="button" onClick={close}>
          {text.value.cancel}
        </button>
      }
    >
      <ChoiceField name="end" label={t.rules.ends} value="keep" choices={ends} />
      <TextField name="reason" label={t.reason} value={reason ?? ''} maxLength={500} autocomplete="off" />
    </Form>
  );
}
