// One variable of the environment as data, and what is made from a table of them.
import type { z } from 'zod';

export interface Variable {
  /** What it sets in `HubOptions`: a member, or `group.member`. Absent: `hubSettings` reads it by its name. */
  option?: string;
  /** Reads the text. Its default is what an absent variable means. */
  schema: z.ZodType;
  /** A secret: the reference of variables says so. The messages of `schema` must not quote the value. */
  secret?: true;
  /** For people who operate a hub. */
  text: string;
}

type Schemas<V extends Record<string, Variable>> = { [Name in keyof V]: V[Name]['schema'] };

/** The shape of a zod object that reads these variables. */
export function variableSchemas<const V extends Record<string, Variable>>(variables: V): Schemas<V> {
  return Object.fromEntries(Object.entries(variables).map(([name, { schema }]) => [name, schema])) as Schemas<V>;
}

/** What an absent variable means, as text; null: nothing. */
export function defaultText({ schema }: Variable): string | null {
  const value = schema.parse(undefined);
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0) ? null : String(value);
}
