// The named ways a TLS proxy in front of an MCP endpoint is set up wrongly. `command` restricts those that change a
// request, and `rewrite-body`, to requests whose X-Request-Id starts so.

export const edgeFaults = {
  'drop-metadata-root': 'The root path of the protected-resource metadata answers 404.',
  'drop-metadata-path': 'The path form of the protected-resource metadata answers 404.',
  'html-metadata': 'The metadata paths answer with an HTML page.',
  'strip-challenge': 'Removes WWW-Authenticate from answers.',
  'strip-retry-after': 'Removes Retry-After from answers.',
  'strip-mcp-headers': 'Removes MCP-Protocol-Version and Mcp-* headers from requests.',
  'new-request-id': 'Replaces X-Request-Id of requests.',
  'append-forwarded-for': 'Adds the address of the client to the X-Forwarded-For that it sends.',
  'keep-forwarded-for': 'Passes the X-Forwarded-For on that the client sends.',
  'swallow-429': 'Turns 429 into 401: the limit is there, and nobody can see it.',
  buffer: 'Holds an answer back until it is whole.',
  'redirect-to-other-host': 'Answers everything with a redirect to another host.',
  'bad-gateway': 'Answers 502.',
  'accept-any-token': 'Puts a good token (`value`) in place of every one that comes.',
  'rewrite-body': 'Replaces one text by another in answers; `value` is both: `FROM => TO`.',
  'wrong-certificate': 'Presents a certificate for another name on new connections.',
} as const;

export type EdgeFault = keyof typeof edgeFaults;
