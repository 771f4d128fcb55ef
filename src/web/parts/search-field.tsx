// A search field in a form of filters: what is typed takes effect when the typing pauses.
import { useTyped } from '../state/typed.ts';

interface Props {
  label: string;
  value: string;
  /** Called with the trimmed text. */
  change: (text: string) => void;
}

/** The API takes at most so many characters of a text that it looks for. */
const maxLength = 200;

export function SearchField({ label, value, change }: Props) {
  const typed = useTyped(value, change);
  return (
    <label>
      {label}
      <input
        type="search"
        maxLength={maxLength}
        value={typed.text}
        onInput={({ currentTarget }) => typed.type(currentTarget.value)}
        onChange={typed.finish}
      />
    </label>
  );
}
