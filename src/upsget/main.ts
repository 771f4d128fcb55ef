// The `upsget` command. Reading a UPS is specification 3; until it is built the command says so and fails.

const usage = `Usage: upsget [options] HOST

Reads the status of a UPS through its web UI (HTTPS 6547). This version cannot read one yet.
`;

const [first] = process.argv.slice(2);
if (first === '--help' || first === '-h') {
  process.stdout.write(usage);
} else {
  process.stderr.write('upsget: this version of gatehouse cannot read a UPS yet\n');
  process.exitCode = 1;
}
