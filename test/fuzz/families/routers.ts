// What routers print: the terminal's bytes, and every table that is read, in the languages and dialects of both kinds.
import { type Session, ShellError } from '#hub/collect/routers/driver.ts';
import type { NeighbourTable, SessionTable } from '#hub/collect/routers/reader.ts';
import { decodePrompt, toScreenLine } from '#hub/collect/routers/shell/decoder.ts';
import { createEchoFilter } from '#hub/collect/routers/shell/echo.ts';
import { asksForLogin, asksToSave, parsePrompt } from '#hub/collect/routers/shell/prompt.ts';
import { createScreen } from '#hub/collect/routers/shell/screen.ts';
import { parseLanRoute, parseVendorAConfig } from '#hub/collect/routers/vendor-a/config.ts';
import { parseVendorADhcp } from '#hub/collect/routers/vendor-a/dhcp.ts';
import { parseEnvironment } from '#hub/collect/routers/vendor-a/environment.ts';
import { parseVendorAError } from '#hub/collect/routers/vendor-a/error.ts';
import { createNatDetailReader } from '#hub/collect/routers/vendor-a/nat.ts';
import { parseVendorAArp, parseVendorANdp } from '#hub/collect/routers/vendor-a/neighbours.ts';
import { parseDescriptorSummary, parseMasqueradeSummary } from '#hub/collect/routers/vendor-a/summary.ts';
import { parseInterfaceBrief, parseNatStatistics, parseVersion } from '#hub/collect/routers/vendor-b/device.ts';
import { parseVendorBDhcp } from '#hub/collect/routers/vendor-b/dhcp.ts';
import { parseVendorBError } from '#hub/collect/routers/vendor-b/error.ts';
import { createTranslationReader } from '#hub/collect/routers/vendor-b/nat.ts';
import { parseVendorBArp, parseVendorBNdp } from '#hub/collect/routers/vendor-b/neighbours.ts';
import { parseClock } from '#hub/collect/routers/vendor-b/timers.ts';
import { boundedLines, same, strangeAddress, strangeMac, strangePort, tooMany, toPieces } from '../checks.ts';
import { defineTarget } from '../target.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const here = 'src/hub/collect/routers';
/** The screen drops longer ones. */
const linesOf = (input: Buffer) => boundedLines(input, 8192);
const isShellError = (error: unknown) => error instanceof ShellError && error.failure === 'too_much_output';

function sessionFault(sessions: readonly Session[]): string | null {
  return (
    strangeAddress(sessions.flatMap(({ src, dst, outerAddress }) => [src, dst, outerAddress])) ??
    strangePort(sessions.flatMap(({ sport, dport }) => [sport, dport])) ??
    (sessions.some(({ ttl, ageSec, idleSec }) => [ttl, ageSec, idleSec].some((one) => one !== null && one < 0))
      ? 'a time of a session is negative'
      : null)
  );
}

const tableFault = (table: SessionTable, input: Buffer) =>
  sessionFault(table.sessions) ??
  tooMany('rows', table.sessions.length + table.staticRows + table.unsupported.count, linesOf(input).length) ??
  tooMany('unread lines', table.unparsed.count, linesOf(input).length) ??
  (table.sessions.length + table.staticRows < 0 || table.staticRows < 0 ? 'fewer rows than none' : null);

const neighbourFault = ({ neighbours }: NeighbourTable, input: Buffer) =>
  strangeAddress(neighbours.map(({ address }) => address)) ??
  strangeMac(neighbours.map(({ mac }) => mac)) ??
  tooMany('neighbours', neighbours.length, linesOf(input).length);

function shown(pieces: readonly Buffer[], label: string) {
  const lines: string[] = [];
  const noise: string[] = [];
  const screen = createScreen(label, ({ text, isDamaged }) => (isDamaged ? noise : lines).push(text));
  pieces.forEach(screen.feed);
  return { lines, noise, rest: screen.rest(), isPaused: screen.isPaused() };
}

const paged = ['routers/cisco/hostile', 'routers/yamaha/hostile'];
const pagerWords = [
  ' --More-- ',
  '---more---',
  '---つづく---',
  '\b'.repeat(9),
  ' '.repeat(12),
  '\r',
  '\r\n',
  '> ',
  '# ',
];

const screens = ['utf-8', 'shift_jis', 'euc-jp'].map((label) =>
  defineTarget({
    name: `router-screen-${label.replace('_', '-')}`,
    modules: [`${here}/shell/screen.ts`, `${here}/shell/decoder.ts`, `${here}/shell/pager.ts`],
    fixtures: paged,
    words: pagerWords,
    parse: (input) => ({ whole: shown([input], label), cut: shown(toPieces(input), label) }),
    growth: 8,
    readings: 2,
    fault({ whole, cut }, input) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no whole line may hold one
      const dirty = whole.lines.find((line) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/.test(line));
      return (
        (same(whole, cut) ? null : 'cut into pieces it reads otherwise') ??
        (dirty === undefined ? null : `a line holds a control character: ${JSON.stringify(dirty)}`) ??
        tooMany('lines', whole.lines.length + whole.noise.length, input.length)
      );
    },
  }),
);

const nat = [
  defineTarget({
    name: 'router-a-nat',
    modules: [`${here}/vendor-a/nat.ts`, `${here}/vendor-a/row.ts`, `${here}/reader.ts`],
    fixtures: ['routers/yamaha/synthetic', ...paged.slice(1)],
    seeds: ['       TCP     192.168.100.2.54434       203.0.113.86.443        60178      615\n'],
    words: [
      'TCP',
      'UDP',
      'ESP',
      '*.*.*.*.*',
      'static',
      '192.0.2.1.443',
      '65536',
      'Outer address: 203.0.113.1',
      '[INSPECT] ',
    ],
    declares: isShellError,
    parse(input) {
      const reader = createNatDetailReader({ now: () => noon });
      for (const line of linesOf(input)) {
        reader.push(line);
      }
      return reader.end({ cut: false, noisy: 0 });
    },
    fault: tableFault,
  }),
  defineTarget({
    name: 'router-b-nat',
    modules: [`${here}/vendor-b/nat.ts`, `${here}/vendor-b/row.ts`, `${here}/vendor-b/timers.ts`],
    fixtures: ['routers/cisco/synthetic', 'routers/cisco/licensed', ...paged.slice(0, 1)],
    seeds: [
      'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:443 203.0.113.86:443\n    create 00:00:12, use 00:00:02\n',
    ],
    words: [
      'tcp',
      'udp',
      '---',
      '203.0.113.1:443',
      'create ',
      'left ',
      'timeout:',
      'vrf: ',
      '%SYS-5-CONFIG_I: ',
      '1y2w3d4h',
    ],
    declares: isShellError,
    parse(input) {
      const reader = createTranslationReader({ now: () => noon, routerNow: () => noon });
      for (const line of linesOf(input)) {
        reader.push(line);
      }
      return reader.end({ cut: false, noisy: 0 });
    },
    fault: tableFault,
  }),
];

const small = [
  defineTarget({
    name: 'router-a-answers',
    modules: ['config', 'dhcp', 'environment', 'error', 'neighbours', 'summary'].map(
      (one) => `${here}/vendor-a/${one}.ts`,
    ),
    fixtures: ['routers/yamaha/synthetic'],
    words: [
      'nat descriptor type ',
      'ip lan1 address ',
      'Leased address: ',
      'Rev.',
      '00:00:5e:00:53:01',
      'INCOMPLETE',
      'implicit',
    ],
    growth: 64,
    readings: 9,
    parse(input) {
      const lines = linesOf(input);
      return {
        tables: [parseVendorAArp(lines), parseVendorANdp(lines)],
        leases: parseVendorADhcp(lines),
        lan: parseLanRoute(lines),
        rest: [
          parseVendorAConfig(lines),
          parseEnvironment(lines),
          parseDescriptorSummary(lines),
          parseMasqueradeSummary(lines),
          lines.map(parseVendorAError),
        ],
      };
    },
    fault: ({ tables, leases, lan }, input) =>
      tables.map((table) => neighbourFault(table, input)).find((fault) => fault !== null) ??
      strangeAddress([lan, ...leases.map(({ address }) => address)]) ??
      strangeMac(leases.map(({ mac }) => mac)),
  }),
  defineTarget({
    name: 'router-b-answers',
    modules: ['device', 'dhcp', 'error', 'neighbours', 'timers'].map((one) => `${here}/vendor-b/${one}.ts`),
    fixtures: ['routers/cisco/synthetic', 'routers/cisco/licensed'],
    words: [
      'Total active translations: ',
      'Internet  ',
      'Incomplete',
      '0100.5e00.5301.01',
      '*12:00:00.123 JST Sun Mar 1 2026',
    ],
    growth: 64,
    readings: 9,
    parse(input) {
      const lines = linesOf(input);
      return {
        tables: [parseVendorBArp(lines), parseVendorBNdp(lines)],
        leases: parseVendorBDhcp(lines),
        interfaces: parseInterfaceBrief(lines),
        rest: [parseVersion(lines), parseNatStatistics(lines), parseClock(lines), lines.map(parseVendorBError)],
      };
    },
    fault: ({ tables, leases }, input) =>
      tables.map((table) => neighbourFault(table, input)).find((fault) => fault !== null) ??
      strangeAddress(leases.map(({ address }) => address)) ??
      strangeMac(leases.map(({ mac }) => mac)),
  }),
  defineTarget({
    name: 'router-prompt',
    modules: [`${here}/shell/prompt.ts`, `${here}/shell/echo.ts`, `${here}/shell/decoder.ts`],
    seeds: [
      'edge-rtr1(config)#',
      '(RTX1210) # ',
      'Password: ',
      'Save new configuration ? (Y/N)',
      'edge> show arp\nrow\nedge> ',
    ],
    words: ['> ', '# ', 'show arp', 'edge', 'パスワード：', 'login:', '(Y/N)'],
    parse(input) {
      const lines = linesOf(input);
      const raw = input.toString('latin1').split('\n');
      const echo = createEchoFilter('show arp', { stem: 'edge', level: '>' });
      return {
        prompts: raw.map(parsePrompt),
        asks: lines.map((line) => [asksForLogin(line), asksToSave(line)]),
        out: [...raw.flatMap((one) => echo.take(toScreenLine(one, decodePrompt))), ...echo.held()],
      };
    },
    fault: ({ out, prompts }, input) =>
      tooMany('lines', out.length, input.length + 1) ??
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no prompt may hold one
      (prompts.some((prompt) => prompt !== null && /[\u0000-\u001f\u007f]/.test(prompt.stem))
        ? 'a prompt holds a control character'
        : null),
  }),
];

export const routerTargets = [...screens, ...nat, ...small];
