// Modules that export a reader and have no target, each with its reason. The others are found in the targets.

/** Exported names that read text or bytes of others. */
export const readerName =
  /^export (?:async )?function\*? ((?:parse|read|decode|take)[A-Z]\w*|create\w*(?:Reader|Jar|Screen))\b/gm;

/** Path or folder → why it is not fuzzed on its own. */
export const leftOut: Readonly<Record<string, string>> = {
  'src/kernel/process/env.ts': 'variables of whoever starts the program',
  'src/kernel/files/files.ts': 'JSON.parse of a file; who reads it judges the document',
  'src/kernel/text/json.ts': 'JSON.parse of a text; who asks for it judges the document',
  'src/kernel/text/problem.ts':
    'a schema and a value; whose schema it is judges the document (agent-batch and settings go through it)',
  'src/kernel/files/file-lock.ts': 'a file without content',
  'src/kernel/columns/text-pool.ts': 'bytes of the program itself',
  'src/kernel/columns/array-file.ts': 'a file of the program itself; its test flips every bit and cuts it everywhere',
  'src/kernel/http/ready-body.ts': 'an answer of the program itself',
  'src/kernel/sqlite/database-copy.ts': 'opens a file with SQLite',
  'src/kernel/sqlite/salvage/damaged-reader.ts': 'rows of SQLite; test/kernel/salvage.test.ts damages files',
  'src/kernel/sqlite/salvage/table-shape.ts': 'rows of SQLite; test/kernel/salvage.test.ts damages files',
  'src/kernel/http/bounded-fetch.ts': 'bytes up to a limit, which nobody interprets',
  'src/kernel/http/upload.ts': 'bytes into a file, which nobody interprets',
  'src/capture/read-bundle.ts': 'a folder through a schema of zod; test/capture/read-bundle.test.ts damages bundles',
  'src/hub/collect/routers/capture/played.ts':
    'a bundle that read-bundle.ts has judged, into the readers of the routers',
  'src/agent/delivery/spool-files.ts': 'a file of its own through the schema of a batch (agent-batch)',
  'src/agent/config.ts': 'variables of whoever starts the program',
  'src/agent/record.ts': 'a file of its own through a schema of zod (agent-files has one)',
  'src/agent/status/status-file.ts': 'a file of its own through a schema of zod',
  'src/agent/enrolment/pending.ts': 'a file of its own through a schema of zod',
  'src/agent/sources/conntrack.ts': 'lines that agent-conntrack reads, into the ledger',
  'src/agent/sources/connect-events.ts': 'lines that agent-trace reads, into the ledger',
  'src/hub/analyse/ai/usage/usage-log.ts': 'rows of the database',
  'src/hub/analyse/ai/notifications/event-log.ts': 'rows of the database',
  'src/hub/analyse/ai/conversations/rows.ts': 'rows of the database',
  'src/hub/analyse/ai/notifications/due.ts': 'rows of the database',
  'src/hub/analyse/ai/notifications/status.ts': 'rows of the database',
  'src/hub/analyse/ai/notifications/triggers.ts': 'a cause that the hub itself has stored',
  'src/hub/analyse/ai/pricing/bedrock-id.ts': 'one regular expression over the name of a model',
  'src/hub/analyse/beacons/starts.ts': 'rows of the database',
  'src/hub/identify/enrichment/remote/switches.ts': 'settings, which their schema judges',
  'src/hub/identify/threat/agreement.ts': 'rows of the database',
  'src/hub/identify/threat/download.ts': 'one header, a number or a date',
  'src/hub/identify/threat/tables/ip-number.ts': 'addresses and networks that the formats of the feeds have judged',
  'src/hub/base/auth/credentials/reset-request.ts': 'a private file of the same user through a schema of zod',
  'src/hub/record/connections': 'rows of the database',
  'src/hub/identify/detection': 'rows of the database',
  'src/hub/identify/devices': 'rows of the database',
  'src/hub/analyse/note-drafts/draft-facts.ts': 'rows of the database',
  'src/hub/base/readers/pool.ts': 'queries of the hub itself',
  'src/hub/collect/routers/vendor-a/commands.ts':
    'a dialogue; its answers are read by router-a-nat and router-a-answers',
  'src/hub/collect/routers/vendor-b/commands.ts':
    'a dialogue; its answers are read by router-b-nat and router-b-answers',
  'src/hub/base/clock/watch.ts': 'rows of the database',
  'src/hub/base/storage/product.ts': 'a header that database-pages reads',
  'src/hub/base/storage/restore/prepare.ts': 'opens a file with SQLite',
  'src/hub/base/storage/room.ts': 'numbers of the file system',
  'src/hub/record/coverage/unseen.ts': 'rows of the database',
  'src/hub/record/sink/hour-counts.ts': 'rows of ClickHouse, through its client',
  'src/hub/base/storage/backup/documents.ts':
    'JSON of a generation, which settings-document and the file of notes judge',
  'src/hub/base/storage/backup/inventory.ts': 'names of files, which addresses reads',
  'src/hub/record/sink/stored-bytes.ts': 'rows of ClickHouse, through its client',
  'src/hub/identify/threat/store.ts': 'rows of the database',
  'src/mcp/http/body.ts': 'bytes up to a limit, which mcp-envelope reads',
  'src/mcp/oauth/settings.ts': 'variables of whoever starts the program',
  'src/mcp/tool.ts': 'a declaration',
  'src/upsget/options.ts': 'words of whoever starts the program',
  'src/upsget/lock.ts': 'a file without content',
  'src/upsget/reading.ts': 'a dialogue; its pages are read by ups-page',
  'gate/collect': 'answers that collectors write down, and do not interpret',
  'gate/commands': 'words of whoever starts the program',
  'gate/config.ts': 'a private file of whoever starts the program, through a schema of zod',
  'gate/private-file.ts': 'bytes of a file, which nobody interprets',
  'gate/probes': 'JSON of the probed endpoint, through gate/json.ts',
  'gate/report.ts': 'JSON.parse of a file; gate-evidence judges it',
  'gate/report-place.ts': 'a place for a file',
  simulators: 'simulators of services read the product alone; those that real clients talk to have targets',
};

// What reads the outside and is not ours: ssh2 (routers), aedes and mqtt.js (brokers), fastify and @fastify/cookie (requests),
// SQLite (files of backups, opened read-only), @slack/web-api (chat), openid-client (ID tokens). No AI model streams.
