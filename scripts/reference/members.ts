// What is known of members by their names: for the reference, where a schema does not say it itself.
import type { Member } from '#kernel/http/json-schema.ts';
import { answeredMembers, instantExample } from './answered-members.ts';
import { sentMembers } from './sent-members.ts';

const tables = { ...answeredMembers, ...sentMembers };

export function findMember(name: string): Member | undefined {
  const entry = Object.hasOwn(tables, name) ? tables[name] : undefined;
  if (entry) {
    const [description, example] = entry;
    return { description, example };
  }
  return /(?:At|Seen)$/.test(name) ? { example: instantExample } : undefined;
}
