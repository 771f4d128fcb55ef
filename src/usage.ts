// What `gatehouse --help` prints.

export const usage = `Usage: gatehouse COMMAND [options]

Knows where a home or small-office network's data goes.

Commands
  hub            collect connections, serve the REST API
  backup         make, list, verify or restore backups of a hub that is stopped
  config         write the configuration as text, compare it, apply it
  salvage        read what is left of a damaged database into a backup
  reset-password make a new login password, after the old one is lost
  reset-token    make a new admin token, after the old one is lost
  export-hours   write the hours of the connection log as CSV, for SQL
  sink           send the log to ClickHouse, and compare what is there
  mcp            let an AI assistant ask the hub, over stdio or HTTP
  doctor         check a hub, say what to do, and write diagnostics without secrets
  health         tell whether the hub or MCP server of this machine is ready
  agent          tell the hub which program of this machine connects where
  capture        keep what a router prints, without names and addresses, to report it
  replay         write a period of the log as a file that simulators play
  sim KIND       a simulator of what it talks to; gatehouse sim --help lists the kinds
  gate           judge a staged MCP endpoint before its name is published

gatehouse COMMAND --help describes a command. --version prints the version.
`;
