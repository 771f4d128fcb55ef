// The formats of `gate run --format`, by name.
import type { Report } from '../report.ts';
import { formatGithub, githubHead } from './github.ts';
import { formatJunit, junitHead } from './junit.ts';
import { formatMarkdown, markdownHead } from './markdown.ts';
import { formatSarif, sarifHead } from './sarif.ts';
import { formatTable } from './table.ts';

export interface ReportFormat {
  summary: string;
  /** The first characters of each file in this format. They tell an earlier output from other files. Null: stdout only. */
  head: string | null;
  format(report: Report, reportPath: string): string;
}

export const formats: Readonly<Record<string, ReportFormat>> = {
  table: { summary: 'one line per check (default)', head: null, format: formatTable },
  json: { summary: 'the report', head: null, format: (report) => `${JSON.stringify(report, null, 2)}\n` },
  junit: { summary: 'JUnit XML, one test case per check', head: junitHead, format: formatJunit },
  sarif: { summary: 'SARIF 2.1.0, one rule per check', head: sarifHead, format: formatSarif },
  github: { summary: 'annotations of GitHub Actions', head: githubHead, format: formatGithub },
  markdown: { summary: 'a summary, for $GITHUB_STEP_SUMMARY', head: markdownHead, format: formatMarkdown },
};
