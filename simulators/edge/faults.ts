// The named ways a TLS proxy in front of an MCP endpoint is set up wrongly. `command` of an armed fault picks the requests
// whose X-Request-Id begins with it.

export const edgeFaults = {
  'drop-metadata-root': 'The root path of the protected-resource metadata answers 404.',
  'drop-metadata-path': 'The path form of the protected-resource metadata answers 404.',
  'html-metadata': 'The metadata paths answer with an HTML page.',
  'strip-challenge': 'Removes WWW-Authenticate from answers.',
  'strip-retry-after': 'Removes Retry-After from answers.',
  'strip-mcp-headers': 'Removes MCP-Protocol-Version and Mcp-* headers from requests.',
  'strip-header': 'Removes headers from requests; `value` names them, with commas between.',
  'set-header': 'Sets a header of requests; `value` is `NAME: TEXT`.',
  'repair-header': 'Sets Mcp-Method, Mcp-Name or MCP-Protocol-Version of requests (`value`) to what the body says.',
  'new-request-id': 'Replaces X-Request-Id of requests.',
  'append-forwarded-for': 'Adds the address of the client to the X-Forwarded-For that it sends.',
  'keep-forwarded-for': 'Passes the X-Forwarded-For on that the client sends.',
  'rewrite-path': 'Replaces one text by another in paths; `value` is both: `FROM => TO`.',
  'body-limit': 'Answers 413 to bodies of more than `value` bytes.',
  'ask-for-password': 'Answers 401 with a Basic challenge of its own.',
  'answer-preflight': 'Answers OPTIONS itself, and lets pages of every origin in.',
  'swallow-429': 'Turns 429 into 401: the limit is there, and nobody can see it.',
  'set-answer-header': 'Sets a header of answers; `value` is `NAME: TEXT`.',
  'error-pages': 'Replaces the body of answers from 400 on with an HTML page; `value` narrows it to one status.',
  truncate: 'Ends answers after `value` bytes.',
  'label-gzip': 'Labels answers as gzip where the client takes gzip, and does not compress them.',
  'cache-answers': 'Answers a body it has seen with the answer it had, whoever asks.',
  slow: 'Answers after `value` ms.',
  buffer: 'Holds an answer back until it is whole.',
  'redirect-to-other-host': 'Answers everything with a redirect to another host.',
  'bad-gateway': 'Answers 502.',
  'accept-any-token': 'Replaces every token that comes with a good one (`value`).',
  'rewrite-body': 'Replaces one text by another in answers; `value` is both: `FROM => TO`.',
  'wrong-certificate': 'Presents a certificate for another name on new connections.',
} as const;

export type EdgeFault = keyof typeof edgeFaults;
