// The sentences that tell what the document of the diagnostics holds.

export const contains =
  'Holds versions, settings without secrets, states, sizes and the last warnings of this hub. It names routers, Agents, files ' +
  'and addresses of the network, and lines of router output that were not understood: read it before you publish it. It holds ' +
  'no password, token or key, no row of the connection log, and no user name of a router.';
