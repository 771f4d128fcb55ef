// Names of processes: the executable, and the script that an interpreter runs.
import { expect, test } from 'vitest';
import { toProcessName } from '#agent/sources/process-name.ts';

test.each<[string, string[], string]>([
  ['/usr/bin/curl', ['curl', 'https://example.org'], 'curl'],
  ['/usr/lib/firefox/firefox (deleted)', ['firefox'], 'firefox'],
  ['/usr/bin/node', ['node', '--max-old-space-size=99', '/srv/server.js', '--port', '1'], 'server.js (node)'],
  ['/usr/bin/node', ['node', '--import', './hook.js', 'app.ts'], 'app.ts (node)'],
  ['/usr/bin/node', ['node', '-e', 'fetch("https://secret")'], 'node'],
  ['/usr/bin/node', ['node'], 'node'],
  ['/usr/bin/python3.11', ['python3', '-m', 'http.server'], 'http.server (python3.11)'],
  ['/usr/bin/python3.11', ['python3', '-Ic', 'import os'], 'python3.11'],
  ['/usr/bin/python3.11', ['python3', '-u', './a.py'], 'a.py (python3.11)'],
  ['/usr/bin/dash', ['sh', '-c', 'curl -H "token: x"'], 'dash'],
  ['/usr/bin/bash', ['bash', '-lc', 'curl'], 'bash'],
  ['/usr/bin/bash', ['bash', '-o', 'pipefail', '/opt/backup.sh'], 'backup.sh (bash)'],
  ['/usr/bin/perl', ['perl', '-ne', 'print'], 'perl'],
  ['/usr/bin/perl', ['perl', '-w', 'x.pl'], 'x.pl (perl)'],
  ['/usr/bin/ruby3.1', ['ruby', '-r', 'json', 'x.rb'], 'x.rb (ruby3.1)'],
  ['/usr/bin/java', ['java', '-cp', 'a.jar:b.jar', '-Xmx1g', 'org.example.Main'], 'org.example.Main (java)'],
  ['/usr/bin/java', ['java', '-jar', '/opt/app.jar'], 'app.jar (java)'],
  ['/opt/a\u001b[31mb', [], 'a\ufffd[31mb'],
])('%s %j', (exe, args, name) => {
  expect(toProcessName(exe, args)).toBe(name);
});

test('nothing, and very much', () => {
  expect(toProcessName('', [])).toBeNull();
  expect(toProcessName('/', [])).toBeNull();
  expect(toProcessName(`/opt/${'x'.repeat(5000)}`, [])).toHaveLength(256);
  const long = toProcessName('/usr/bin/node', ['node', 'y'.repeat(5000)]);
  expect(long).toHaveLength(256);
  expect(long).toMatch(/^y+ \(node\)$/);
});
