// Workflow commands of GitHub Actions: an annotation for each check that does not hold, failures first.
import { type Finding, holds } from '../check.ts';
import type { Report } from '../report.ts';
import { formatVerdict, toPlainLine, toRows } from './rows.ts';

/** The first characters of each output in this format. */
export const githubHead = '::notice title=gatehouse gate::';

export function formatGithub(report: Report): string {
  const open = toRows(report).filter((row) => !holds(row));
  // The runner shows ten errors and ten warnings of a step: what only follows from a failure is a warning.
  const lines = (['fail', 'untestable'] satisfies Finding['outcome'][]).flatMap((outcome) =>
    open
      .filter((row) => row.outcome === outcome)
      .map(({ id, because, remedy }) => {
        const message = escapeData(`${because}. What to do: ${remedy}`);
        return `::${outcome === 'fail' ? 'error' : 'warning'} title=${escapeProperty(`gate ${id}`)}::${message}`;
      }),
  );
  return `${[`${githubHead}${escapeData(formatVerdict(report))}`, ...lines].join('\n')}\n`;
}

/** One line: a line break would let the text begin a command of its own. */
function escapeData(text: string): string {
  return toPlainLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
