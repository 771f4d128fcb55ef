// What the gate finds, from the catalogue that its tests make: a part of docs/gate.md, and the sentences of `gate explain`.
import { checkDescriptions } from '#gate/checks.ts';
import { unseen } from '#gate/unseen.ts';
import { mistakes } from '../test/gate/mistakes/catalogue.ts';
import { getMaker, type Mistake } from '../test/gate/mistakes/mistake.ts';
import { remedied } from '../test/gate/mistakes/remedied.ts';
import { replaceMarkedPart } from './marked-part.ts';

/** `document` with the part between its two marks made again. Throws when a mark is missing. */
export function withMistakes(document: string): string {
  const rows = mistakes.map((mistake) => {
    const by = mistake.collector === undefined ? mistake.red : [`gate collect ${mistake.collector}`];
    const found = by.map((id) => `\`${id}\``).join(', ');
    return `| ${getMaker(mistake)} | ${mistake.sentence} | ${found} |`;
  });
  const table = ['| Who | Mistake | Red |', '|---|---|---|', ...rows].join('\n');
  const rest = unseen.map((sentence) => `- ${sentence}`).join('\n');
  return replaceMarkedPart(document, 'test/gate/mistakes', `${table}\n\nNo run can find:\n\n${rest}`);
}

/** Check → mistakes that it finds, `MAKER: sentence`; the first is the one that the remedy of the check corrects. */
export function findsByCheck(): Record<string, string[]> {
  return Object.fromEntries(
    checkDescriptions.map(({ id: check }) => {
      const rank = ({ id }: Mistake) => (id === remedied[check] ? 0 : 1);
      const found = mistakes.filter(({ red }) => red.includes(check)).toSorted((one, other) => rank(one) - rank(other));
      return [check, found.map((mistake) => `${getMaker(mistake)}: ${mistake.sentence}`)];
    }),
  );
}
