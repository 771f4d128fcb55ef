// The rules of what is not kept: a list with the erasure of each, and a form to add one.
import { useState } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { EraseKept } from '../../parts/erase-kept.tsx';
import { CheckField, ChoiceField, TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { isolateName, joinWithDots } from '../../parts/outside.ts';
import { useAsked } from '../../state/loaded.ts';
import { number, when } from '../../text/format.ts';
import { words } from '../../text/privacy/words.ts';

type Rule = Reply<'GET /api/privacy/rules'>['rules'][number];
const kinds = ['device', 'range', 'guests'] as const;

export function Privacy() {
  const w = words.value;
  const { value, error, isLoading, reload } = useAsked('GET /api/privacy/rules', {});
  /** Counts the rules that were added: another number makes the form empty again. */
  const [added, setAdded] = useState(0);
  const add = async (values: FormData) => {
    const chosen = kinds.find((kind) => kind === readText(values, 'kind')) ?? 'device';
    const tellThreats = values.has('tellThreats');
    await ask('POST /api/privacy/rules', { body: { kind: chosen, value: readText(values, 'value'), tellThreats } });
    setAdded(added + 1);
    reload();
  };
  return (
    <Card title={w.rules} part="privacy" isDimmed={isLoading && value === null}>
      <p class="help">{w.rulesHelp}</p>
      <Failure error={error} reload={reload} />
      {value?.rules.length === 0 ? <p class="empty">{w.none}</p> : null}
      <ul class="items">
        {value?.rules.map((rule) => (
          <RuleItem
            key={rule.id}
            rule={rule}
            covered={value.devices.filter(({ ruleIds }) => ruleIds.includes(rule.id)).length}
            reload={reload}
          />
        ))}
      </ul>
      <Form key={added} submit={w.add} save={add}>
        <ChoiceField
          name="kind"
          label={w.kind}
          help={w.guestsHelp}
          value="device"
          choices={kinds.map((kind) => ({ value: kind, label: w.kinds[kind] }))}
        />
        <TextField name="value" label={w.value} help={w.valueHelp} maxLength={64} autocomplete="off" />
        <CheckField name="tellThreats" label={w.tellThreats} help={w.tellThreatsHelp} isOn={false} />
      </Form>
    </Card>
  );
}

function RuleItem({ rule, covered, reload }: { rule: Rule; covered: number; reload: () => void }) {
  const w = words.value;
  const { id, kind, value, tellThreats, since, by } = rule;
  const name = kind === 'guests' ? w.kinds.guests : isolateName(value);
  const remove = async () => {
    await ask('DELETE /api/privacy/rules/:id', { params: { id } });
    reload();
  };
  return (
    <li>
      <h3>
        {w.kinds[kind]} <bdi>{value}</bdi>
      </h3>
      <p class="help">
        {joinWithDots([
          w.since(when(since), by),
          kind === 'range' ? null : w.covers(covered, number(covered)),
          tellThreats ? w.told : null,
        ])}
      </p>
      <p class="actions">
        <ConfirmButton label={w.keep} title={w.keepTitle(name)} act={remove}>
          <p>{w.keepHelp}</p>
        </ConfirmButton>
      </p>
      <EraseKept ruleId={id} name={name} />
    </li>
  );
}
