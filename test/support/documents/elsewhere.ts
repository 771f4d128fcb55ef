// Commands of the documents that no test can run where it runs. Their blocks are `sh elsewhere`; what of them can be looked
// at without running them is (test/support/documents/judge.ts): syntax, files, scripts, commands and options of ours.

/** What a command begins with, and why it is not run. The first that fits counts. */
export const elsewhere: readonly (readonly [begins: RegExp, why: string])[] = [
  [/^npm (?:run (?:demo|demo:gate)$|start$)/, 'runs until Ctrl-C; test/e2e/demo.test.ts starts it as a user does'],
  [
    /^npm (?:test|run (?:test:e2e|test:whole|test:engine|test:clients|check|storm|bench|mutation|soak|fuzz)[\w:-]*)\b/,
    'runs for minutes; CI runs it',
  ],
  [/^npm run build:package$/, 'test/e2e/package.test.ts builds and installs the package'],
  [/^npm (?:ci|install|sbom|audit)\b/, 'asks a registry'],
  [/^npx\b/, 'takes the installed package; test/e2e/package.test.ts runs that'],
  [/^git (?:clone|pull|fetch)\b/, 'asks another machine'],
  [/^(?:docker|podman|buildah)\b/, 'needs a container engine'],
  [/^(?:sudo )?(?:apt-get|apt|dnf) /, 'installs packages of the system'],
  [
    /^(?:sudo )?(?:systemctl|systemd-run|journalctl|useradd|loginctl)\b/,
    'needs systemd as the first process, and root',
  ],
  [/^(?:sudo )?(?:install|cp|chown|mkdir|ln) .*\/(?:etc|opt|usr|var)\//, 'writes to folders of the system'],
  [/^sudo (?:tar|cat|ln) .*\/(?:etc|opt|usr|var)\//, 'writes to or reads folders of the system'],
  [/^cd \/opt\/gatehouse && sudo npm ci\b/, 'asks a registry'],
  [/^openssl rand .*\| (?:systemd-creds|sudo install) /, 'writes to folders of the system'],
  [/^cd \/?[\w/.-]+(?: && (?:npm ci\b.*|npm install\b.*))?$/, 'goes with the commands around it'],
  [/^rndc\b/, 'needs the resolver of the system; test/rest/block-list.test.ts runs one with the zone'],
  [/^mkdir gatehouse && cd gatehouse$/, 'goes with the commands around it'],
  [/^tar xzf gatehouse-VERSION\.tgz\b/, 'needs the built tarball; test/e2e/package.test.ts unpacks it'],
  [/^bin\/gatehouse\.js hub\b/, 'the program of the tarball; test/e2e/package.test.ts starts it'],
  [/^node bin\/gatehouse\.js hub\b/, 'runs until it is ended; test/e2e/hub-cli.test.ts starts it'],
  [/^gatehouse sink schema\b/, 'writes a file that the next command reads; test/e2e/sink-command.test.ts runs it'],
  [/^gatehouse config apply\b/, 'needs a hub that is stopped; test/e2e/config-command.test.ts runs it'],
  [/^clickhouse-client\b/, 'needs a server of ClickHouse; npm run test:engine gives the statements to its engine'],
  [/^gatehouse gate run\b/, 'needs a staged endpoint; test/e2e/gate-ready.test.ts runs it'],
  [
    /^(?:upsget --snapshot|gatehouse sim ups adopt)\b/,
    'changes the checkout; test/e2e/ups-adopt.test.ts runs it in a copy',
  ],
  [
    /^gatehouse gate (?:init|verify-report report\.json) --profile resource-server\b/,
    'asks a person, and needs a report; test/e2e/gate-any-server.test.ts runs it',
  ],
  [/^ssh(?: -p \d+)? \w+@[\d.]+$/, 'a terminal for a person; blocks of router commands are typed by the test'],
];
