// `npm run audit`: known vulnerabilities of all packages of the lock, as the registry knows them.
import { spawnSync } from 'node:child_process';
import { root } from './sources.ts';

interface Report {
  metadata?: { vulnerabilities?: { total?: number } };
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>;
  message?: string;
  error?: { summary?: string };
}

const args = ['audit', '--audit=true', '--package-lock-only', '--json'];
const { stdout, stderr, error } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 });
const report = parse(stdout);
const total = report?.metadata?.vulnerabilities?.total;

if (total === undefined) {
  const said = report?.message ?? report?.error?.summary ?? error?.message ?? stderr.trim().split('\n')[0] ?? '';
  console.log(`audit: not done. The npm registry does not answer the question for vulnerabilities (${said}).`);
  console.log('audit: run "npm run audit" again where it does; nothing is known to be wrong, and nothing to be right.');
} else if (total > 0) {
  for (const { name, severity, range } of Object.values(report?.vulnerabilities ?? {})) {
    console.error(`audit: ${severity}: ${name} ${range}`);
  }
  console.error(
    `audit: ${total} packages with known vulnerabilities. Update them; "npm audit" says to which versions.`,
  );
  process.exitCode = 1;
} else {
  console.log('audit: no known vulnerability in any package of the lock.');
}

function parse(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    // npm prints no JSON when it cannot begin: then its stderr says why.
    return null;
  }
}
