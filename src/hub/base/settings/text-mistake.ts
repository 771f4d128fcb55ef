// The error for a mistake in a part of the configuration as text.
import { AppError } from '#kernel/errors.ts';

export class TextMistake extends Error {
  /** Path of the part from its section, such as `entries.0.value`; empty for all of it. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Returns the mistake that corresponds to a refusal of the API, in the part at `place`. Throws any other error again. */
export function toTextMistake(error: unknown, place: readonly (string | number)[] = []): TextMistake {
  if (error instanceof TextMistake) {
    return new TextMistake([...place, error.field].join('.'), error.message);
  }
  if (!(error instanceof AppError)) {
    throw error;
  }
  const { field } = error.details;
  return new TextMistake([...place, ...(typeof field === 'string' ? [field] : [])].join('.'), error.message);
}
