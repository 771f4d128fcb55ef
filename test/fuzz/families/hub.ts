// What the hub reads beside routers, logs and feeds: requests, stored documents, database files, embedded and custom data,
// answers of AI models, addresses and names in any spelling.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { api } from '#contract/index.ts';
import { toVisibleAnswer } from '#hub/analyse/ai/answer-text.ts';
import { findCitations } from '#hub/analyse/ai/citations/citations.ts';
import { parseRetryAfter } from '#hub/analyse/ai/providers/exchange.ts';
import { parseObject, readObject, readObjects, readText } from '#hub/analyse/ai/providers/json.ts';
import { selectTextModels } from '#hub/analyse/ai/providers/model-names.ts';
import { parseUsage } from '#hub/analyse/ai/providers/usage.ts';
import { buildContext } from '#hub/analyse/insights/context.ts';
import { parseResolver } from '#hub/base/settings/resolver.ts';
import { emptySettings, settingsSchema, upgradeSettings } from '#hub/base/settings/schema.ts';
import { parseContentDigest } from '#hub/base/storage/backup/digest.ts';
import { parseGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { findDifferentPages, readManifest } from '#hub/base/storage/backup/manifest.ts';
import { parseAddressKey } from '#hub/identify/enrichment/embedded/address-key.ts';
import { readColumnFile } from '#hub/identify/enrichment/embedded/column-file.ts';
import { openOperatorFiles } from '#hub/identify/enrichment/embedded/operator-files.ts';
import { formatNoteKey, parseNoteKey } from '#hub/identify/notes/note-key.ts';
import { formatAlert, shown } from '#hub/notify/chat/message-text.ts';
import { formatCursor, parseCursor } from '#hub/record/connections/query/order.ts';
import { readConfigText } from '#hub/start/config/read-text.ts';
import { formatConfig } from '#hub/start/config/write-text.ts';
import { configSections } from '#hub/start/config-sections.ts';
import { AppError } from '#kernel/errors.ts';
import { takesGzip } from '#kernel/http/accept-encoding.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';
import {
  canonicalIp,
  canonicalMac,
  eui64Mac,
  ipv4Number,
  isLocalIp,
  isPrivateIp,
  isPublicIp,
} from '#kernel/net/address.ts';
import { parseHostName, parseLabel } from '#kernel/net/host-name.ts';
import { parseDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { interiorKeys } from '#kernel/sqlite/salvage/interior-keys.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { parseHttpDate, parseIsoTime } from '#kernel/time/clock.ts';
import { examples } from '../../../scripts/reference/examples.ts';
import { worlds } from '../../support/ai-worlds.ts';
import { anySettings } from '../../support/any-settings.ts';
import { encodeMmdb } from '../../support/mmdb-file.ts';
import { makeFolder } from '../../support/temporary-folder.ts';
import { strangeAddress, strangeMac, toJson, toLines, tooMany, toText } from '../checks.ts';
import { defineTarget } from '../target.ts';

/** The text of what a text makes of an empty hub, and of what that text makes. */
async function readConfig(text: string): Promise<{ first: string; second: string }> {
  const surroundings = { now: 1, allowLoopback: false, pathPrefixes: [] };
  const options = { file: 'x.yaml', sections: configSections, surroundings, findSecret: () => 'x' };
  const read = async (one: string) =>
    formatConfig(configSections, await readConfigText(one, { ...options, settings: emptySettings() }));
  const first = await read(text);
  return { first, second: await read(first) };
}

const isAppError = (error: unknown) => error instanceof AppError;

/** A file with these bytes: one for each target, gone with the process. */
function fileFor(name: string): (bytes: Uint8Array) => string {
  let file: string | null = null;
  return (bytes) => {
    if (file === null) {
      const folder = makeFolder('fuzz');
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      mkdirSync(path.join(folder, 'files'));
      file = path.join(folder, 'files', name);
    }
    writeFileSync(file, bytes);
    return file;
  };
}

const routes = api as unknown as Readonly<Record<string, Readonly<Record<string, RouteDefinition<unknown>>>>>;
const parts = ['params', 'query', 'body'] as const;
const calls = Object.entries(examples).flatMap(([group, named]) =>
  Object.entries(named).map(([route, { params, query, body }]) =>
    JSON.stringify({ group, route, params, query, body }),
  ),
);

const requests = [
  defineTarget({
    name: 'hub-requests',
    modules: ['src/kernel/http/validate.ts', 'src/contract/query-words.ts'],
    isJson: true,
    seeds: calls,
    declares: isAppError,
    parse(input) {
      const call = toJson(input) as Record<string, unknown> | null | undefined;
      const [group, route] = [call?.group, call?.route].map((name) => (typeof name === 'string' ? name : ''));
      const found = Object.hasOwn(routes, group ?? '') ? routes[group ?? ''] : undefined;
      const definition = found && Object.hasOwn(found, route ?? '') ? found[route ?? ''] : undefined;
      return definition
        ? parts.map((part) => (definition[part] ? parsePart('invalid_body', definition[part], call?.[part]) : null))
        : null;
    },
  }),
  defineTarget({
    name: 'hub-headers',
    modules: [
      'src/kernel/http/accept-encoding.ts',
      'src/hub/base/storage/backup/digest.ts',
      'src/hub/analyse/ai/providers/exchange.ts',
      'src/kernel/time/clock.ts',
    ],
    seeds: [
      'gzip;q=0.5, *;q=0',
      `sha-256=:${'A'.repeat(43)}=:`,
      '120',
      'Sun, 06 Nov 1994 08:49:37 GMT',
      '2026-03-01T12:00:00.123+09:00',
    ],
    words: ['q=', ';', ',', 'sha-256=:', '=:', 'GMT', '-00:00', 'T24:00:00Z', '02-30'],
    declares: isAppError,
    parse(input) {
      const text = toText(input);
      const times = [parseIsoTime(text), parseHttpDate(text), parseRetryAfter({ 'retry-after': text }, 1e12)];
      return { times, gzip: takesGzip(text), digest: parseContentDigest(text) };
    },
    fault: ({ digest }) => (digest === null || /^[0-9a-f]{64}$/.test(digest) ? null : `the digest ${digest} is none`),
  }),
  defineTarget({
    name: 'hub-cursor',
    modules: ['src/hub/record/connections/query/order.ts'],
    seeds: [
      Buffer.from(JSON.stringify(['lastSeen', 'desc', 1, 1, '192.168.1.5', '203.0.113.5', 443, 'TCP'])).toString(
        'base64url',
      ),
      Buffer.from(JSON.stringify(['src', 'asc', 'a', 1, 'a', 'b', 443, 'TCP'])).toString('base64url'),
    ],
    words: ['W10', 'bnVsbA', 'WyJsYXN0U2VlbiIsImRlc2Mi', '=', '-', '_', '%'],
    parse: (input) =>
      (['lastSeen', 'src', 'dst'] as const).map((sort) => ({
        sort,
        values: parseCursor({ sort, sortDir: 'desc' }, toText(input)),
      })),
    fault(found) {
      const read = found.find(({ sort, values }) => sort === 'lastSeen' && values !== null);
      const [, lastSeen, src, dst, dport, proto] = read?.values ?? [];
      const again =
        read &&
        parseCursor(
          { sort: 'lastSeen', sortDir: 'desc' },
          formatCursor({ sort: 'lastSeen', sortDir: 'desc' }, { lastSeen, src, dst, dport, proto } as never),
        );
      return read && again === null ? 'a cursor is not read as it is printed' : null;
    },
  }),
];

const spelled = [
  defineTarget({
    name: 'addresses',
    modules: ['src/kernel/net/address.ts', 'src/kernel/net/host-name.ts', 'src/kernel/text/visible-text.ts'].concat(
      [
        'identify/enrichment/embedded/address-key',
        'base/settings/resolver',
        'identify/notes/note-key',
        'base/storage/backup/generation-name',
      ].map((one) => `src/hub/${one}.ts`),
    ),
    seeds: [
      ...['192.0.2.1', '2001:db8::1', '::ffff:1.2.3.4', 'fe80::1%eth0', '192.0.2.53:5353', '[2001:db8::53]:53'],
      ...['00:00:5e:00:53:01', '0000.5e00.5301', '192.0.2.1|00:00:5e:00:53:01', 'cdn.example.net.', 'Büro\u202e'],
      'monitor_migration-021_2026-01-01_09-00-00-123-0123abcd.db',
    ],
    words: ['::', ':', '.', '%', '|', '[', ']', '/', '256', '01', 'ffff', '0:0', '1.2.3.4', '-', '\u200b'],
    isVisible: true,
    parse(input) {
      const text = toText(input);
      const ip = canonicalIp(text);
      return {
        ip,
        mac: canonicalMac(text),
        kinds: ip === null ? [] : [isLocalIp(ip), isPrivateIp(ip), isPublicIp(ip), eui64Mac(ip), ipv4Number(ip)],
        key: parseAddressKey(ip ?? '') === null && ip !== null ? 'none' : parseAddressKey(text),
        resolver: parseResolver(text),
        note: parseNoteKey(text),
        names: [parseHostName(text), parseLabel(text), visibleText(text, 64)],
        generation: parseGenerationName(text),
      };
    },
    fault: ({ ip, mac, resolver, note, key }) =>
      strangeAddress([ip, resolver?.ip, note?.ip]) ??
      strangeMac([mac, note?.mac]) ??
      (key === 'none' ? `${ip} has no key` : null) ??
      (note && parseNoteKey(formatNoteKey(note)) === null ? 'a key of a note is not read as it is printed' : null),
  }),
];

const mmdb = encodeMmdb('Test', {
  '203.0.113.0/24': { country: { iso_code: 'DE' }, city: { names: { en: 'Berlin' } } },
});
const mmdbFile = fileFor('custom.mmdb');
const columnsFile = fileFor('enrichment.bin.zst');
const manifestFile = fileFor('monitor_2026-01-01_09-00-00-123-0123abcd.db.json');
const pagesFile = fileFor('pages.db');

const header = JSON.stringify({
  ...{
    format: 1,
    version: '2026-01-01',
    digest: 'ab2f5ae4c8b1f3f1b0ee9ebd2e9b8a4f8b50a8bc1dd0a5f9b2b1d1f6c3a1b2c3',
    sources: [],
  },
  columns: [{ name: 'a', width: 2, delta: true, count: 4 }],
});
const columnBytes = (text: string) => {
  const head = Buffer.alloc(12, 'GHENRICH');
  head.writeUInt32LE(Buffer.byteLength(text), 8);
  return Buffer.concat([head, Buffer.from(text), Buffer.alloc(8, 1)]);
};

/** Interior pages of 512 bytes: a table with rowids that points to the next pages. */
const interior = () => {
  const page = Buffer.alloc(512);
  page[0] = 5;
  page.writeUInt16BE(2, 3);
  page.writeUInt32BE(3, 8);
  page.writeUInt16BE(500, 12);
  page.writeUInt16BE(490, 14);
  page.writeUInt32BE(2, 500);
  page.writeUInt32BE(1, 490);
  page[504] = 0x81;
  page[505] = 0x01;
  const index = Buffer.from(page);
  index[0] = 2;
  Buffer.from([4, 3, 1, 15, 7, 65]).copy(index, 504);
  return Buffer.concat([page, index, page]);
};

const files = [
  defineTarget(
    {
      name: 'mmdb',
      isSlow: true,
      modules: ['src/hub/identify/enrichment/embedded/operator-files.ts'],
      seeds: [mmdb],
      words: ['\xab\xcd\xefMaxMind.com', 'node_count', 'record_size', 'ip_version'],
      isVisible: true,
      declares: (error) => error instanceof Error && error.message.includes('custom.mmdb'),
      async parse(input) {
        const [file] = await openOperatorFiles(path.dirname(mmdbFile(input)));
        return ['203.0.113.5', '2001:db8::1', '0.0.0.0', 'ffff::'].map((address) => file?.find(address) ?? null);
      },
    },
    true,
  ),
  defineTarget(
    {
      name: 'embedded-data',
      isSlow: true,
      modules: ['src/hub/identify/enrichment/embedded/column-file.ts'],
      seeds: [columnBytes(header)],
      words: ['"count":', '"width":', '"columns":', '4294967295', 'GHENRICH'],
      declares: (error) => error instanceof Error && error.message.includes('enrichment.bin.zst holds no'),
      async parse(input) {
        const columns = await readColumnFile(columnsFile(zstdCompressSync(input)));
        return columns.header;
      },
    },
    true,
  ),
  defineTarget({
    name: 'backup-manifest',
    isSlow: true,
    modules: ['src/hub/base/storage/backup/manifest.ts'],
    isJson: true,
    seeds: [
      JSON.stringify({
        ...{
          name: 'monitor_2026-01-01_09-00-00-123-0123abcd.db',
          created: '2026-01-01T09:00:00Z',
          size: 1024,
          schema: 21,
        },
        ...{ sha256: 'a'.repeat(64), version: '0.1.0', pageSize: 512, pages: 'AAAAAAEAAAA=' },
      }),
    ],
    words: ['"pages":', '"AAA="', '1e400'],
    declares: (error) => error instanceof Error && error.message.includes('monitor_2026'),
    parse(input) {
      const manifest = readManifest(manifestFile(input).slice(0, -5));
      return manifest && { manifest, different: findDifferentPages(manifest.pages, 'AAAAAAEAAAA=') };
    },
  }),
  defineTarget({
    name: 'database-pages',
    isSlow: true,
    modules: ['src/kernel/sqlite/salvage/interior-keys.ts', 'src/kernel/sqlite/database-header.ts'],
    seeds: [interior(), Buffer.concat([Buffer.from('SQLite format 3\0\x02\0\x01\x01\0\x40\x20\x20'), interior()])],
    words: ['\x02', '\x05', '\x0d', '\xff\xff', '\x81\x80', 'SQLite format 3\0'],
    growth: 64,
    parse(input) {
      const file = pagesFile(input);
      const head = parseDatabaseHeader(Buffer.concat([input.subarray(0, 100), Buffer.alloc(100)]), input.length);
      return { head, keys: [1, 2, 3].map((root) => interiorKeys({ file, pageSize: 512, root }, 2)) };
    },
    fault: ({ keys }, input) => tooMany('keys', keys.flat().length, input.length * 3),
  }),
  defineTarget({
    name: 'settings-document',
    modules: ['src/hub/base/settings/schema.ts'],
    isJson: true,
    seeds: [
      '{"version":1,"adminTokenHash":null,"routers":[],"tombstones":[],"mesh":null}',
      JSON.stringify({
        ...{ version: 2, adminTokenHash: null, passwordRecord: null, auditKey: null, routers: [], tombstones: [] },
        oidc: { enabled: false, issuer: '', clientId: '', clientSecret: '', allowedEmails: [], allowedDomains: [] },
        mesh: { ip: '192.168.1.2', user: 'u', pass: 'p' },
      }),
    ],
    growth: 2000,
    parse: (input) => readInput(settingsSchema, upgradeSettings(toJson(input))).data ?? null,
  }),
  defineTarget(
    {
      name: 'config-text',
      readings: 5,
      modules: ['src/hub/start/config/read-text.ts', 'src/kernel/text/yaml.ts'],
      isSlow: true,
      seeds: fc.sample(anySettings, { seed: 1, numRuns: 2 }).map((one) => formatConfig(configSections, one)),
      words: [
        '*a',
        '&a ',
        '!!binary ',
        '!x ',
        '<<: ',
        '? ',
        '- ',
        '{',
        '[',
        '|\n',
        '---\n',
        '%YAML 1.1\n',
        '__proto__: ',
        'secret',
        '~',
      ],
      // The defaults of the sections that the input leaves out.
      growth: 4000,
      parse: (input) => readConfig(toText(input)),
      declares: (error) =>
        error instanceof Error && /^(?:nothing was changed, since|x\.yaml, line \d)/.test(error.message),
      fault: (text) => (text.first === text.second ? null : 'its export is exported as another text'),
    },
    true,
  ),
];

const contexts = fc.sample(worlds, { seed: 1, numRuns: 1 }).map(({ input }) => buildContext(input));

const ai = [
  defineTarget({
    name: 'ai-text',
    isSlow: true,
    modules: [
      'src/hub/analyse/ai/citations/scan.ts',
      'src/hub/analyse/ai/citations/citations.ts',
      'src/hub/analyse/ai/answer-text.ts',
    ],
    seeds: [
      'The device 192.168.1.5 talked to 203.0.113[.]5 (cdn.example.net) 1,234 times, 12.5 % more than on 2026-03-01 at 12:00.',
      'この期間には「203.0.113.5」が1万2千回、2001:db8::1 が 3時間。',
      '1. first\n2. second: v1.2.3, 00:00:5e:00:53:01, hxxps://evil[.]example/a?b',
    ],
    words: ['203.0.113.5', '1,234', '[.]', '%', '万', ':', '-', 'https://', 'example.net', '1.2.3', '\u202f', '２'],
    growth: 400,
    readings: 2,
    parse(input) {
      const { text } = toVisibleAnswer(toText(input));
      return { text, citations: contexts.flatMap((context) => findCitations(text, context)) };
    },
    fault({ text, citations }) {
      const wrong = citations.find((one) => text.slice(one.start, one.end) !== one.text || one.start >= one.end);
      return (
        (wrong === undefined ? null : `a citation at ${wrong.start} is not in the text`) ??
        (text === '' ? 'an empty answer' : null) ??
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
        (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(text) ? 'an answer holds a control character' : null)
      );
    },
  }),
  defineTarget({
    name: 'ai-answers',
    modules: ['json', 'usage', 'model-names'].map((one) => `src/hub/analyse/ai/providers/${one}.ts`),
    isJson: true,
    seeds: [
      '{"choices":[{"message":{"content":"text"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}',
      '{"data":[{"id":"model-a"},{"id":"embed-b"}],"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"output_tokens":1}}',
    ],
    isVisible: true,
    parse(input) {
      const answer = parseObject(toText(input)) ?? {};
      const usage = readObject(answer, 'usage');
      const told = {
        input: usage.prompt_tokens,
        output: usage.completion_tokens,
        total: usage.total_tokens,
        cacheRead: usage.cached,
      };
      return {
        models: selectTextModels(readObjects(answer, 'data').map(({ id }) => id)),
        length: readText(readObject(answer, 'message'), 'content').length,
        usage: [parseUsage(told, true), parseUsage(told, false)],
      };
    },
  }),
  defineTarget({
    name: 'chat-text',
    modules: ['src/hub/notify/chat/message-text.ts'],
    seeds: ['laptop.lan', '<!channel> `rm` *x* <https://evil.example|click>', 'a@b.example & 192.168.1.5', 'x\n```\ny'],
    words: ['`', '```', '<', '>', '&', '@', '<!here>', '\n', '\u202e', 'http://'],
    growth: 64,
    readings: 2,
    parse(input) {
      const text = toText(input);
      const alert = { title: 'New device', at: 1, facts: [{ label: 'Name', value: text }], body: text };
      return { one: shown(text), message: formatAlert(alert as never) };
    },
    fault: ({ one, message }, input) =>
      (/^`[^`<>\n]*`$/.test(one) ? null : `a value is shown as ${one}`) ??
      (/<(?!!date\^)/.test(message) ? 'a value makes markup' : null) ??
      tooMany('characters', message.length, 3000) ??
      tooMany('lines', message.split('\n').length, toLines(input).length + input.length + 4),
  }),
];

export const hubTargets = [...requests, ...spelled, ...files, ...ai];
