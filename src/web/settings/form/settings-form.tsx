// A form that draws its fields from the schema of the route that saves them.
import { forms } from 'virtual:forms';
import type { ComponentChildren } from 'preact';
import { ask, type Input } from '../../api/client.ts';
import {
  CheckField,
  ChoiceField,
  Group,
  LinesField,
  NumberField,
  SecretField,
  TextField,
} from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { words as settingsWords } from '../../text/settings/words.ts';
import type { FormRoute, GroupSchema, LeafSchema } from './field-schema.ts';
import { pickFields, readFields, toSetName, type Units } from './read-fields.ts';

type Body<N extends FormRoute> = Extract<Input<N>, { body: unknown }>['body'];
/** A member of the body that `N` saves. */
export type Member<N extends FormRoute> = keyof Body<N> & string;
type Leaf = string | number | boolean | readonly unknown[];

/**
 * The label of each member. `nameHelp` beside `name` is its help, `nameChoices` what its values are called. A group has a
 * `title`, and `help`; without a title its fields are drawn as those around it.
 */
export type FormWords<B> = {
  readonly [K in keyof B]-?: NonNullable<B[K]> extends Leaf ? string : { title: string } & FormWords<NonNullable<B[K]>>;
} & { readonly [name: `${string}Choices`]: Readonly<Record<string, string>> };

export interface SettingsFormProps<N extends FormRoute, K extends Member<N>> {
  route: N;
  words: FormWords<Pick<Body<N>, K>>;
  /** Only these members, in this order; all when left out. */
  only?: readonly K[];
  units?: Units;
  /** Changes the body that the fields make before it is sent. */
  adapt?: (body: Body<N>) => Body<N>;
  submit?: string;
  more?: ComponentChildren;
  /** The stored settings, under the names of the members that save them. */
  values: object;
  /** Shown at the top of a group. */
  about?: Readonly<Record<string, ComponentChildren>>;
  saved: () => void;
}

export function SettingsForm<N extends FormRoute, K extends Member<N>>({
  route,
  words,
  only,
  units = {},
  adapt = (body) => body,
  submit = settingsWords.value.save,
  more,
  values,
  about = {},
  saved,
}: SettingsFormProps<N, K>) {
  const group = only === undefined ? forms[route] : pickFields(forms[route], only);
  const save = async (typed: FormData) => {
    const body = adapt(readFields(group, typed, units) as Body<N>);
    await ask<FormRoute>(route, { body } as Input<FormRoute>);
    saved();
  };
  return (
    <Form submit={submit} done={settingsWords.value.saved} save={save} more={more}>
      <Fields group={group} words={words as Texts} values={values as Values} path="" units={units} about={about} />
    </Form>
  );
}

type Values = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, unknown>>;

interface FieldsProps {
  group: GroupSchema;
  words: Texts;
  values: Values;
  /** Of the group, with a dot at its end. */
  path: string;
  units: Units;
  about: Readonly<Record<string, ComponentChildren>>;
}

function Fields({ group, words, values, path, units, about }: FieldsProps) {
  return (
    <>
      {Object.entries(group.fields).map(([name, field]) => {
        if (field.is !== 'group') {
          return (
            <OneField key={name} field={field} name={name} words={words} values={values} path={path} units={units} />
          );
        }
        const [inner, stored] = [words[name] as Texts, (values[name] ?? {}) as Values];
        const fields = (
          <Fields
            key={name}
            group={field}
            words={inner}
            values={stored}
            path={`${path}${name}.`}
            units={units}
            about={about}
          />
        );
        return inner.title === '' ? (
          fields
        ) : (
          <Group key={name} label={String(inner.title)}>
            {inner.help ? <p class="help">{String(inner.help)}</p> : null}
            {about[name]}
            {fields}
          </Group>
        );
      })}
    </>
  );
}

interface OneFieldProps extends Omit<FieldsProps, 'group' | 'about'> {
  field: LeafSchema;
  name: string;
}

function OneField({ field, name, words, values, path, units }: OneFieldProps) {
  const value = values[name];
  const help = words[`${name}Help`] as string | undefined;
  const common = { name: path + name, label: String(words[name]), help };
  switch (field.is) {
    case 'switch':
      return <CheckField {...common} isOn={value === true} />;
    case 'clear':
      return values[toSetName(name)] === true ? <CheckField {...common} isOn={false} /> : null;
    case 'secret':
      return <SecretField {...common} isSet={values[toSetName(name)] === true} />;
    case 'lines':
      return <LinesField {...common} value={(value ?? []) as string[]} />;
    case 'text':
      return <TextField {...common} value={String(value ?? '')} autocomplete="off" />;
    case 'choice': {
      const labels = (words[`${name}Choices`] ?? {}) as Readonly<Record<string, string>>;
      const choices = field.values.map((one) => ({ value: String(one), label: labels[one] ?? String(one) }));
      return <ChoiceField {...common} value={String(value)} choices={choices} />;
    }
    case 'number': {
      const unit = units[path + name] ?? 1;
      const [min, max] = [field.min, field.max].map((bound) => (bound === undefined ? undefined : bound / unit));
      const step = field.isWhole && unit === 1 ? undefined : 'any';
      return <NumberField {...common} value={Number(value) / unit} min={min} max={max} step={step} />;
    }
  }
}
