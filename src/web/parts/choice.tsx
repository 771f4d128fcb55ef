// Controls that take effect at once, outside of a form that is saved: a select, a checkbox or a radio button.
import type { ComponentChildren } from 'preact';

interface OptionsProps<T extends string> {
  values: readonly T[];
  describe: (value: T) => string;
}

export function Options<T extends string>({ values, describe }: OptionsProps<T>) {
  return (
    <>
      {values.map((value) => (
        <option key={value} value={value}>
          {describe(value)}
        </option>
      ))}
    </>
  );
}

interface SelectProps<T extends string> extends OptionsProps<T> {
  label: string;
  value: T;
  choose: (value: T) => void;
}

export function Select<T extends string>({ label, value, choose, values, describe }: SelectProps<T>) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value as T)}>
        <Options values={values} describe={describe} />
      </select>
    </label>
  );
}

interface ChoiceProps {
  type: 'checkbox' | 'radio';
  /** Radio buttons of the same name form a group. */
  name?: string;
  isChosen: boolean;
  isDisabled?: boolean;
  isRequired?: boolean;
  kind?: 'choice' | 'switch';
  choose: (isChosen: boolean) => void;
  children: ComponentChildren;
}

export function Choice({
  type,
  name,
  isChosen,
  isDisabled,
  isRequired,
  kind = 'choice',
  choose,
  children,
}: ChoiceProps) {
  return (
    <label class={kind}>
      <input
        type={type}
        name={name}
        checked={isChosen}
        disabled={isDisabled}
        required={isRequired}
        onChange={({ currentTarget }) => choose(currentTarget.checked)}
      />
      {children}
    </label>
  );
}
