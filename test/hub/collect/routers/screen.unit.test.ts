// The screen: any way of cutting the bytes gives the same lines; the pager's text never reaches them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEchoFilter } from '#hub/collect/routers/shell/echo.ts';
import { asksForLogin, asksForPassword, asksToSave, isPrompt, parsePrompt } from '#hub/collect/routers/shell/prompt.ts';
import { createScreen } from '#hub/collect/routers/shell/screen.ts';
import { captureOf, readBytes, readCapture } from './captures.ts';

const seed = Number(process.hrtime.bigint() % 1_000_000n);
console.info(`screen fuzz seed ${seed}`);

const bytesOf = (text: string) => Buffer.from(text, 'utf8');

function show(bytes: Uint8Array, label = 'utf-8') {
  const lines: string[] = [];
  const noise: string[] = [];
  const screen = createScreen(label, ({ text, isDamaged }) => (isDamaged ? noise : lines).push(text));
  screen.feed(bytes);
  return { lines, noise, rest: screen.rest(), paused: screen.isPaused(), screen };
}

const iosPager = ` --More-- ${'\b'.repeat(9)}${' '.repeat(8)}${'\b'.repeat(9)}`;
const yamahaPager = `---つづく---\r${' '.repeat(12)}\r`;

describe('pager', () => {
  test('its text and erasure vanish, also inside a row', () => {
    expect(show(bytesOf(`tcp 203.0.1${iosPager}13.24:63200 x\r\nr1#`))).toMatchObject({
      lines: ['tcp 203.0.113.24:63200 x'],
      rest: 'r1#',
    });
    expect(show(bytesOf(`a\r\n${yamahaPager}       TCP b\r\n> `))).toMatchObject({
      lines: ['a', '       TCP b'],
      rest: '> ',
    });
    expect(show(bytesOf('a\r\n---more---\r          \r  b\r\n')).lines).toEqual(['a', '  b']);
  });

  test('other widths of the erasure are understood', () => {
    expect(show(bytesOf(`a --More-- ${'\b'.repeat(10)}${' '.repeat(10)}${'\b'.repeat(10)}b\r\n`)).lines).toEqual([
      'ab',
    ]);
  });

  test.each(['utf-8', 'shift_jis', 'euc-jp'])(
    'the question in any character set is seen while decoding as %s',
    (label) => {
      const questions = [
        Buffer.from('---つづく---'),
        Buffer.from([0x2d, 0x2d, 0x2d, 0x82, 0xc2, 0x82, 0xc3, 0x82, 0xad, 0x2d, 0x2d, 0x2d]),
        Buffer.from([0x2d, 0x2d, 0x2d, 0xa4, 0xc4, 0xa4, 0xc5, 0xa4, 0xaf, 0x2d, 0x2d, 0x2d]),
        Buffer.from('---more---'),
        Buffer.from(' --More-- '),
      ];
      for (const question of questions) {
        const shown = show(Buffer.concat([bytesOf('row\r\n'), question]), label);
        expect(shown).toMatchObject({ lines: ['row'], paused: true, rest: '' });
      }
    },
  );

  test('a partly erased question does not ask again', () => {
    const { screen } = show(bytesOf('row\r\n---more---'));
    expect(screen.isPaused()).toBe(true);
    screen.feed(bytesOf('\r    '));
    expect(screen.isPaused()).toBe(false);
    expect(screen.rest()).toBe('');
  });

  test('a question right behind an erasure that broke off is seen', () => {
    for (const erasure of ['\b\b  ', '\r  ']) {
      expect(show(bytesOf(`row\r\n --More-- ${erasure}--More-- `))).toMatchObject({ lines: ['row'], paused: true });
    }
  });

  test('separators and empty cells of tables are not the pager', () => {
    const text = '  -*-    -*-\r\ntcp 203.0.113.24:443 192.168.100.2:443  ---                ---\r\n';
    expect(show(bytesOf(text))).toMatchObject({ lines: text.trimEnd().split('\r\n'), paused: false });
    expect(show(bytesOf('* --More-- information at helpdesk *\r\n')).lines).toEqual([
      '* --More-- information at helpdesk *',
    ]);
  });
});

describe('noise', () => {
  test.each(['a\u0000b', 'a\u001b[Kb', 'a\u0007', 'x\ry', 'a\bb', '\ufffd'])('%j is counted, not cleaned', (text) => {
    expect(show(bytesOf(`${text}\r\nclean\r\n`))).toMatchObject({ lines: ['clean'], noise: [text] });
  });

  test('undecodable bytes damage their own line only', () => {
    const shown = show(Buffer.concat([bytesOf('one\r\n'), Buffer.from([0xff, 0xfe]), bytesOf('two\r\nthree\r\n')]));
    expect(shown.lines).toEqual(['one', 'three']);
    expect(shown.noise).toHaveLength(1);
  });

  test('a line without end is not kept for ever', () => {
    const { screen, noise, lines } = show(Buffer.alloc(70_000, 'x'));
    expect(screen.rest()).toBe('');
    screen.feed(bytesOf('y\r\nz\r\n'));
    expect(noise).toHaveLength(1);
    expect(lines).toEqual(['z']);
  });
});

test('the beginning of a line that is too long is what is said of it, however it is cut', () => {
  const bytes = bytesOf(`first ${'x'.repeat(9000)} last\r\nnext\r\n`);
  const noiseOf = (at: number) => {
    const { screen, noise, lines } = show(bytes.subarray(0, at));
    screen.feed(bytes.subarray(at));
    return { noise, lines };
  };
  for (const at of [1, 100, 4096, 8191, 8192, 8193, 9005, bytes.length]) {
    expect(noiseOf(at)).toEqual({ noise: [`first ${'x'.repeat(194)}`], lines: ['next'] });
  }
});

describe('pieces', () => {
  const inputs: [string, Buffer, string][] = [
    ['pager inside a row', bytesOf(`tcp 203.0.1${iosPager}13.24:63200\r\nb\r\n`), 'utf-8'],
    ['Japanese pager', bytesOf(`前\r\n${yamahaPager}  後\r\n> `), 'utf-8'],
    ['Shift_JIS', readBytes('yamaha/synthetic/nat_detail.ja.sjis.txt').subarray(0, 200), 'shift_jis'],
    ['Shift_JIS pager', readBytes('yamaha/hostile/nat_detail.paged24.ja.sjis.bin').subarray(1600, 1720), 'shift_jis'],
    ['noise', bytesOf('a\u0000b\r\n\u001b[2Jc\r\nd\r\n'), 'utf-8'],
  ];
  test.each(inputs)('%s: every cut into two, and into single bytes', (_what, bytes, label) => {
    const whole = readCapture(bytes, label);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(readCapture(bytes, label, [at])).toEqual(whole);
    }
    expect(readCapture(bytes, label, [...bytes.keys()])).toEqual(whole);
  });

  test.each([
    [0x8f, 0xb7, 0x70],
    [0x8f, 0xb7, 0x0a],
    [0x8f, 0x70, 0xb7],
    [0x8f, 0x8f, 0xb7, 0xb7],
    [0x8f, 0xb7, 0xff, 0xb7],
    [0x8e, 0x41, 0xa1],
    [0xb7, 0x8f, 0xb7, 0xb7, 0xb7],
  ])('EUC-JP with the damaged character %o is read alike however it is cut', (...damaged) => {
    const bytes = Buffer.concat([bytesOf('one\r\n'), Buffer.from(damaged), bytesOf('two\r\nthree\r\n')]);
    const whole = readCapture(bytes, 'euc-jp');
    expect(whole.lines).toContain('three');
    for (let at = 1; at < bytes.length; at += 1) {
      expect(readCapture(bytes, 'euc-jp', [at])).toEqual(whole);
      expect(readCapture(bytes, 'euc-jp', [at, at + 1])).toEqual(whole);
    }
  });

  test.each([
    ['cisco/hostile/nat.paged24.bs.bin', 'utf-8'],
    ['cisco/hostile/nat.paged24.split_midline.bin', 'utf-8'],
    ['yamaha/hostile/dhcp.paged24.ja.utf8.txt', 'utf-8'],
    ['yamaha/hostile/nat_detail.paged24.ja.sjis.bin', 'shift_jis'],
  ])('%s: random cuts', (file, label) => {
    const bytes = readBytes(file);
    const whole = captureOf(file, label);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 200 }), (cuts) => {
        const offsets = cuts.sort((one, other) => one - other);
        expect(readCapture(bytes, label, offsets)).toEqual(whole);
      }),
      { seed, numRuns: 20 },
    );
  });
});

describe('prompt', () => {
  test('what may be one', () => {
    expect(parsePrompt('> ')).toEqual({ stem: '', level: '>' });
    expect(parsePrompt('(RTX1210) # ')).toEqual({ stem: '(RTX1210) ', level: '#' });
    expect(parsePrompt('edge-rtr1(config)#')).toEqual({ stem: 'edge-rtr1(config)', level: '#' });
    for (const rest of ['', 'edge-rtr1', 'a> b', '>  ', 'x\u0007>']) {
      expect(parsePrompt(rest)).toBeNull();
    }
  });

  test('another stem or level is not the learnt one', () => {
    expect(isPrompt('edge>', { stem: 'edge', level: '>' })).toBe(true);
    expect(isPrompt('edge#', { stem: 'edge', level: '>' })).toBe(false);
    expect(isPrompt('# ', { stem: '', level: '>' })).toBe(false);
    expect(isPrompt('uplink>', { stem: 'edge', level: '>' })).toBe(false);
  });

  test('questions', () => {
    expect(asksForPassword('Password: ')).toBe(true);
    expect(asksForPassword('* Enter Password: at your own risk #')).toBe(false);
    expect(asksForLogin('Username: ')).toBe(true);
    expect(asksToSave('Save new configuration ? (Y/N)')).toBe(true);
    expect(asksToSave('新しい設定を保存しますか? (Y/N)')).toBe(true);
  });
});

describe('echo', () => {
  const prompt = { stem: 'edge', level: '>' } as const;
  const filter = (lines: string[], command = 'show arp') => {
    const echo = createEchoFilter(command, prompt);
    const taken = lines.flatMap((text) => echo.take({ raw: text, text, isDamaged: false }));
    return { out: [...taken, ...echo.held()].map(({ text }) => text), over: echo.isOver() };
  };

  test.each([
    [['show arp', 'row']],
    [['', 'edge>show arp', 'row']],
    [['edge>', 'edge> show arp', 'row']],
    [['show', ' arp', 'row']],
  ])('%j', (lines) => {
    expect(filter(lines)).toEqual({ out: ['row'], over: true });
  });

  test('lines before an echo that never comes are kept', () => {
    expect(filter(['row one', 'row two'])).toEqual({ out: ['row one', 'row two'], over: false });
    expect(filter(['show'])).toEqual({ out: ['show'], over: false });
  });
});
