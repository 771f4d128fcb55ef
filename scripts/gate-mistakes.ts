// The part of docs/gate.md that lists what the gate finds, from its catalogue.
import { mistakes } from '#gate/mistakes/catalogue.ts';
import { makerOf } from '#gate/mistakes/mistake.ts';
import { unseen } from '#gate/mistakes/unseen.ts';

const begin = '<!-- Written by npm run pins from gate/mistakes: begin -->';
const end = '<!-- end -->';

/** `document` with the part between its two marks made again. Throws when a mark is missing. */
export function withMistakes(document: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) {
    throw new Error(`docs/gate.md lacks ${from < 0 ? begin : end}`);
  }
  const rows = mistakes.map((mistake) => {
    const by = mistake.collector === undefined ? mistake.red : [`gate collect ${mistake.collector}`];
    const found = by.map((id) => `\`${id}\``).join(', ');
    return `| ${makerOf(mistake)} | ${mistake.sentence} | ${found} |`;
  });
  const table = ['| Who | Mistake | Red |', '|---|---|---|', ...rows].join('\n');
  const rest = unseen.map((sentence) => `- ${sentence}`).join('\n');
  return `${document.slice(0, from + begin.length)}\n\n${table}\n\nNo run can find:\n\n${rest}\n\n${document.slice(to)}`;
}
