// What a run left, as one short word: two runs of one seed leave the same.
import { createHash } from 'node:crypto';
import type { Home } from './home.ts';
import type { Seen } from './seen.ts';

/**
 * Left out is what is drawn at random by the system or takes its time in real time: identifiers, tokens, and the instants
 * and texts of messages to the chat workspace.
 */
export function digestRun({ routers }: Pick<Home, 'routers'>, seen: Seen): string {
  const numbered = routers.map(({ id }, index) => [index, seen.covered.get(id) ?? 0]);
  const facts = [
    ...[[...seen.flows].sort(), [...seen.hours].sort(), [...seen.macs].sort(), [...seen.audit].sort()],
    ...[seen.sessions, [...seen.identities.values()], seen.generations.map(({ madeAt }) => madeAt), numbered],
    ...[[...seen.analyses].sort(), seen.monthRequests, [...seen.threats].sort(), seen.homeCountry],
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}
