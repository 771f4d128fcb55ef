// A card with a form made of a schema.
import type { ComponentChildren } from 'preact';
import { Card } from '../../parts/card.tsx';
import type { FormRoute } from './field-schema.ts';
import { type Member, SettingsForm, type SettingsFormProps } from './settings-form.tsx';

interface Props<N extends FormRoute, K extends Member<N>> extends SettingsFormProps<N, K> {
  title: string;
  part: string;
  help?: string;
  /** Shown between the help and the form. */
  children?: ComponentChildren;
  /** Shown below the form. */
  after?: ComponentChildren;
}

export function FormCard<N extends FormRoute, K extends Member<N>>(props: Props<N, K>) {
  const { title, part, help, children, after, ...form } = props;
  return (
    <Card title={title} part={part}>
      {help === undefined ? null : <p class="help">{help}</p>}
      {children}
      <SettingsForm {...form} />
      {after}
    </Card>
  );
}
