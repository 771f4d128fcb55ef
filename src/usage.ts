// What `gatehouse --help` prints.

export const usage = `Usage: gatehouse COMMAND [options]

Knows where a home or small-office network's data goes.

Commands
  hub            collect connections, serve the REST API
  sim KIND       one simulator: vendor_a, vendor_b, or all

gatehouse COMMAND --help describes a command. --version prints the version.
`;
