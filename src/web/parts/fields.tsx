// Fields of a form, each with its name and, where needed, a sentence of help.
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { text } from '../text/text.ts';

interface Common {
  name: string;
  label: string;
  help?: string | undefined;
}

interface Native {
  type?: 'text' | 'password' | 'number' | 'time';
  required?: boolean;
  autocomplete?: 'off' | 'current-password' | 'new-password';
  inputMode?: 'numeric';
  min?: number;
  max?: number;
  maxLength?: number;
  pattern?: string;
  /** Id of a datalist. */
  list?: string;
}

/** A required whole number. */
export function NumberField(props: Common & { value: number; min: number; max?: number }) {
  return <TextField {...props} type="number" required />;
}

interface TextProps extends Common, Native {
  /** The initial text. What was typed stays when the page is drawn again. */
  value?: string | number;
  /** Called at each change with the whole text. */
  typed?: (text: string) => void;
}

export function TextField({ name, label, help, value = '', typed, ...native }: TextProps) {
  const id = useId();
  // Preact has a type for each kind of input; this field takes four kinds.
  const attributes = native as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...attributes}
        id={id}
        name={name}
        defaultValue={String(value)}
        spellcheck={false}
        {...(typed && { onInput: ({ currentTarget }) => typed(currentTarget.value) })}
        {...(help ? { 'aria-describedby': `${id}-help` } : {})}
      />
      {help ? <small id={`${id}-help`}>{help}</small> : null}
    </div>
  );
}

interface SecretProps extends Common, Pick<Native, 'required' | 'autocomplete'> {
  /** A secret is stored; an empty field keeps it. */
  isSet?: boolean;
}

/** Takes a new secret. The stored one is never shown. */
export function SecretField({ name, label, help, isSet, required = false, autocomplete = 'off' }: SecretProps) {
  const state = isSet === undefined ? undefined : isSet ? text.value.secretSet : text.value.secretNotSet;
  return (
    <TextField
      name={name}
      label={label}
      required={required}
      type="password"
      autocomplete={autocomplete}
      help={[state, help].filter((part) => part !== undefined).join(' ')}
    />
  );
}

export function LinesField({ name, label, help, value }: Common & { value: readonly string[] }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={4} defaultValue={value.join('\n')} spellcheck={false} />
      {help ? <small>{help}</small> : null}
    </div>
  );
}

/** The lines of a LinesField, without empty ones. */
export function readLines(values: FormData, name: string): string[] {
  return String(values.get(name) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** `value` distinguishes checkboxes of the same name. */
export function CheckField({ name, label, help, isOn, value = 'on' }: Common & { isOn: boolean; value?: string }) {
  const id = useId();
  return (
    <div class="check">
      <input id={id} type="checkbox" name={name} value={value} defaultChecked={isOn} />
      <label for={id}>{label}</label>
      {help ? <small>{help}</small> : null}
    </div>
  );
}

interface ChoiceProps extends Common {
  value: string;
  choices: readonly { value: string; label: string }[];
}

export function ChoiceField({ name, label, help, value, choices }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
      {help ? <small>{help}</small> : null}
    </div>
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
