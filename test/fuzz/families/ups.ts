// What upsget reads: pages of the web UI, packed bodies, cookies, its settings, what the programs that it runs print; and
// the trapper frames that the simulator takes.
import { deflateSync, gzipSync } from 'node:zlib';
import { parseBatch } from '#simulators/trapper/batch.ts';
import { createFrame, longestBody, parseFrame } from '#simulators/trapper/frame.ts';
import { decodeContent, decodeText } from '#upsget/body.ts';
import { createCookieJar } from '#upsget/cookies.ts';
import { decodeEntities } from '#upsget/entities.ts';
import { Failure } from '#upsget/failure.ts';
import { parseFingerprint } from '#upsget/fingerprint.ts';
import { formatAuthority, parseAddress } from '#upsget/host.ts';
import { isMistake, parseIni } from '#upsget/ini.ts';
import { parseNumber, toReadings } from '#upsget/items.ts';
import { parsePage } from '#upsget/page.ts';
import { describeUnexpectedPage, isEnglish, isLoginPage, isStatusPage, isTakenPage } from '#upsget/page-kind.ts';
import { formatTrapperLines, parseCounts } from '#upsget/trapper.ts';
import { same, strangePort, toLines, tooMany, toText } from '../checks.ts';
import { defineTarget } from '../target.ts';

const here = 'src/upsget';

const page = defineTarget({
  name: 'ups-page',
  modules: ['page', 'tokens', 'entities', 'items', 'page-kind', 'visible-text'].map((one) => `${here}/${one}.ts`),
  fixtures: ['ups/1.4.0'],
  seeds: ['<html lang="en"><span id="value_DeviceStatus">On line</span><input name="formtoken" value="x">'],
  words: [
    '<span id="value_',
    '</span>',
    '<!--',
    '-->',
    '<script>',
    '&#x26;',
    'class="value"',
    '<td>',
    '<input name=',
    "'",
    '/>',
  ],
  growth: 64,
  parse(input) {
    const read = parsePage(decodeText(input, undefined));
    const readings = toReadings(read, true);
    const kinds = [
      isStatusPage(read),
      isLoginPage(read),
      isTakenPage(read),
      isEnglish(read),
      describeUnexpectedPage(read).message,
    ];
    return { read, readings, kinds, numbers: readings.map(parseNumber) };
  },
  fault({ read, readings }) {
    const shown = [...read.values.values(), ...read.ids, ...readings.map(({ text }) => text)];
    const dirty = shown.find((text) => /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text));
    const lines = formatTrapperLines(readings, 'ups').split('\n').length - 1;
    return (
      (dirty === undefined ? null : `a value holds ${JSON.stringify(dirty.slice(0, 100))}`) ??
      (lines === readings.length ? null : 'a value makes a line of its own for the trapper')
    );
  },
});

const entities = defineTarget({
  name: 'ups-entities',
  modules: [`${here}/entities.ts`],
  seeds: ['&amp;&#x41;&#65;&nbsp;&deg;C &lt;', 'a & b &unknown; &#xfffffff;'],
  words: ['&#', '&#x', ';', '&amp', '110000', 'd800', '0'],
  parse: (input) => decodeEntities(toText(input)),
});

const body = defineTarget(
  {
    name: 'ups-body',
    modules: [`${here}/body.ts`],
    seeds: [
      Buffer.concat([Buffer.from('gzip\n'), gzipSync('<html>')]),
      Buffer.concat([Buffer.from('deflate\n'), deflateSync('<html>')]),
      'identity\n<meta charset="shift_jis">x',
      '\n\ufeff<html>',
    ],
    words: ['gzip', 'deflate', 'x-gzip', ',', 'charset=', 'utf-16', 'iso-8859-1', 'br'],
    growth: 2000,
    declares: (error) =>
      error instanceof Failure || /^Z_|^ERR_BUFFER_TOO_LARGE$/.test(String((error as { code?: unknown }).code)),
    async parse(input) {
      const end = input.indexOf('\n');
      const coding = input.toString('latin1', 0, Math.max(0, end));
      return decodeText(await decodeContent(input.subarray(end + 1), coding), coding);
    },
  },
  true,
);

const cookies = defineTarget({
  name: 'ups-cookies',
  modules: [`${here}/cookies.ts`],
  seeds: [
    'JSESSIONID=abc; Path=/; HttpOnly',
    'a=; Max-Age=0',
    'b=1; expires=Thu, 01 Jan 1970 00:00:00 GMT',
    '__proto__=1',
  ],
  words: ['=', ';', 'max-age', 'expires', '1970', ' ', '"'],
  parse(input) {
    const jar = createCookieJar();
    // Node gives no header that is longer, and none with a line end.
    jar.store(toLines(input).map((line) => line.slice(0, 16_384)));
    return jar.header();
  },
  fault: (header) => (/[\r\n]/.test(header ?? '') ? 'the Cookie header has a line end' : null),
});

const settings = [
  defineTarget({
    name: 'ups-ini',
    modules: [`${here}/ini.ts`],
    seeds: ['[ups]\nip = 192.0.2.1\nusername: x\n more\n# comment\n[DEFAULT]\npassword = %y\n', '[a]\nb=c'],
    words: ['[', ']', '=', ':', '[DEFAULT]', '\n ', '#', ';', '\r', '__proto__ = 1'],
    growth: 4000,
    parse: (input) => parseIni(toText(input)),
    fault: (ini, input) =>
      isMistake(ini)
        ? tooMany('lines', ini.line, toText(input).split(/\r\n|\n|\r/).length)
        : [...ini.values()].some((section) => [...section.keys()].some((key) => key !== key.toLowerCase()))
          ? 'a key is not in lower case'
          : null,
  }),
  defineTarget({
    name: 'ups-addresses',
    modules: [`${here}/host.ts`, `${here}/fingerprint.ts`],
    seeds: ['ups.lan:8443', '[2001:db8::1]:443', '192.0.2.1', 'AA:'.repeat(31).concat('AA')],
    words: [':', '[', ']', '65536', '0', '-', '..', '::'],
    parse: (input) => ({ address: parseAddress(toText(input)), fingerprint: parseFingerprint(toText(input)) }),
    fault: ({ address, fingerprint }) =>
      strangePort([address?.port]) ??
      (address &&
      !same(parseAddress(formatAuthority(address.host, address.port ?? 443)), { ...address, port: address.port ?? 443 })
        ? 'host and port are not read as they are printed'
        : null) ??
      (fingerprint !== null && parseFingerprint(fingerprint) !== fingerprint
        ? 'a fingerprint is not read as itself'
        : null),
  }),
  defineTarget({
    name: 'ups-trapper-counts',
    modules: [`${here}/trapper.ts`],
    seeds: ['info from server: "processed: 6; failed: 0; total: 6; seconds spent: 0.000055"\nsent: 6\n'],
    words: ['processed: ', 'failed: ', '; ', 'total: ', '999999999'],
    parse: (input) => parseCounts(toText(input)),
  }),
];

const batch = '{"request":"sender data","data":[{"host":"ups","key":"ups.load","value":"19","clock":1}]}';
const packed = deflateSync(batch);
const head = (flags: number, length: number) => {
  const bytes = Buffer.from('ZBXD\0\0\0\0\0\0\0\0\0');
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32LE(length, 5);
  return bytes;
};

const trapper = [
  defineTarget({
    name: 'trapper-frame',
    modules: ['simulators/trapper/frame.ts'],
    seeds: [createFrame(batch), Buffer.concat([head(3, packed.length), packed]), head(5, 100)],
    words: ['ZBXD', '\x01', '\x03', '\x07', '\x05'],
    growth: 2000,
    parse: parseFrame,
    fault(parsed, input) {
      const longer = parseFrame(Buffer.concat([input, Buffer.from('more')]));
      return (
        (parsed.state === 'whole' && !same(parsed, longer) ? 'bytes behind a frame change it' : null) ??
        (parsed.state === 'wrong' && longer.state !== 'wrong' ? 'a wrong frame becomes right by more bytes' : null) ??
        (parsed.state === 'whole' &&
        parsed.body.length <= longestBody &&
        parsed.flags === 1 &&
        !parsed.body.includes('\ufffd')
          ? same(parseFrame(createFrame(parsed.body)), parsed)
            ? null
            : 'a frame is not read as it is printed'
          : null)
      );
    },
  }),
  defineTarget({
    name: 'trapper-batch',
    modules: ['simulators/trapper/batch.ts'],
    isJson: true,
    seeds: [batch],
    words: ['"data":', '"host":', '"clock":', '1e999'],
    parse: (input) => parseBatch(toText(input)),
  }),
];

export const upsTargets = [page, entities, body, cookies, ...settings, ...trapper];
