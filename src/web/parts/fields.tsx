// Fields of a form, each with its name and, where needed, a sentence of help.
import { type ComponentChildren, createContext, type InputHTMLAttributes } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { text } from '../text/text.ts';

interface LabelProps {
  name: string;
  label: string;
  help?: string | undefined;
}

export interface RefusedField {
  name: string;
  reason: string;
  /** The hub's English sentence, where the page's language has none for this problem; else empty. */
  detail: string;
}

export const RefusedFieldContext = createContext<RefusedField | null>(null);

interface InputAttributes {
  type?: 'text' | 'password' | 'number' | 'time';
  required?: boolean;
  autocomplete?: 'off' | 'current-password' | 'new-password';
  inputMode?: 'numeric';
  min?: number | undefined;
  max?: number | undefined;
  step?: 'any' | undefined;
  maxLength?: number;
  pattern?: string;
  /** Id of a datalist. */
  list?: string;
}

/** Takes a required number, which must be whole unless `step` is `any`. */
export function NumberField(props: LabelProps & { value: number } & Pick<InputAttributes, 'min' | 'max' | 'step'>) {
  return <TextField {...props} type="number" required />;
}

interface TextProps extends LabelProps, InputAttributes {
  /** The initial text. What was typed stays when the page is drawn again. */
  value?: string | number;
  /** Called at each change with the whole text. */
  typed?: (text: string) => void;
}

export function TextField({ name, label, help, value = '', typed, ...rest }: TextProps) {
  // Preact has a type for each kind of input; this field takes four kinds.
  const attributes = rest as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Field name={name} label={label} help={help}>
      {(control) => (
        <input
          {...attributes}
          {...control}
          defaultValue={String(value)}
          spellcheck={false}
          {...(typed && { onInput: ({ currentTarget }) => typed(currentTarget.value) })}
        />
      )}
    </Field>
  );
}

interface ControlAttributes {
  id: string;
  name: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

interface FieldProps extends LabelProps {
  /** Whether the control stands before its label, as a checkbox does. */
  isCheck?: boolean;
  children: (control: ControlAttributes) => ComponentChildren;
}

/** A control with its label, its help, and why the hub refused what it holds. */
function Field({ name, label, help, isCheck = false, children }: FieldProps) {
  const id = useId();
  const refused = useContext(RefusedFieldContext);
  const reason = refused?.name === name ? refused.reason : '';
  const described = [reason && `${id}-reason`, help && `${id}-help`].filter(Boolean).join(' ');
  const control = children({
    id,
    name,
    ...(described ? { 'aria-describedby': described } : {}),
    ...(reason ? { 'aria-invalid': true } : {}),
  });
  return (
    <div class={isCheck ? 'check' : 'field'}>
      {isCheck ? control : null}
      <label for={id}>{label}</label>
      {isCheck ? null : control}
      {reason ? (
        <small id={`${id}-reason`} class="problem" dir="auto">
          {reason}
          {refused?.detail ? <span lang="en"> {refused.detail}</span> : null}
        </small>
      ) : null}
      {help ? <small id={`${id}-help`}>{help}</small> : null}
    </div>
  );
}

interface SecretProps extends LabelProps, Pick<InputAttributes, 'required' | 'autocomplete'> {
  /** Whether a secret is stored, which an empty field keeps. When absent, the field says nothing about that. */
  isSet?: boolean;
}

/** Takes a new secret. The stored one is never shown. */
export function SecretField({ help, isSet, autocomplete = 'off', ...field }: SecretProps) {
  const state = isSet === undefined ? undefined : isSet ? text.value.secretSet : text.value.secretNotSet;
  return (
    <TextField
      {...field}
      type="password"
      autocomplete={autocomplete}
      help={[state, help].filter((part) => part !== undefined).join(' ')}
    />
  );
}

export function LinesField({ value, ...common }: LabelProps & { value: readonly string[] }) {
  return (
    <Field {...common}>
      {(control) => <textarea {...control} rows={4} defaultValue={value.join('\n')} spellcheck={false} />}
    </Field>
  );
}

/** `value` distinguishes checkboxes of the same name. */
export function CheckField({ isOn, value = 'on', ...common }: LabelProps & { isOn: boolean; value?: string }) {
  return (
    <Field {...common} isCheck>
      {(control) => <input {...control} type="checkbox" value={value} defaultChecked={isOn} />}
    </Field>
  );
}

interface ChoiceProps extends LabelProps {
  value: string;
  choices: readonly { value: string; label: string }[];
}

export function ChoiceField({ value, choices, ...common }: ChoiceProps) {
  return (
    <Field {...common}>
      {(control) => (
        <select {...control}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Group({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}
