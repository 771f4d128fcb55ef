// Which encoding a line is read in: that of the settings, or the one that it is plainly in. Damage stays damage.
import { describe, expect, test } from 'vitest';
import { createLineDecoder, decodePrompt, toScreenLine } from '#hub/collect/routers/shell/decoder.ts';
import { encode } from '#simulators/router/terminal/encoding.ts';
import { captureOf } from './captures.ts';

const encodings = ['utf-8', 'shift_jis', 'euc-jp'];
const rawOf = (text: string, encoding: string) => encode(text, encoding).toString('latin1');

const captured = ['nat_detail', 'nat_summary', 'dhcp', 'arp', 'environment'].flatMap(
  (name) => captureOf(`yamaha/synthetic/${name}.ja.sjis.txt`, 'shift_jis').lines,
);
const japanese = [
  ...new Set([...captured, '有効なNATディスクリプタテーブルが1個ありました', 'エラー: パスワードが間違っています']),
];

describe.each(encodings)('printed in %s', (spoken) => {
  test.each(encodings)('and read as %s: the same text', (label) => {
    const decode = createLineDecoder(label);
    expect(japanese.length).toBeGreaterThan(50);
    for (const text of japanese) {
      expect(toScreenLine(rawOf(text, spoken), decode)).toMatchObject({ text, isDamaged: false });
    }
  });

  test.each(['本社ルーター', '(ルーター1)', 'RTX_本社-2', '東京', 'edge-rtr1', ''])(
    'the prompt %s has its name',
    (name) => {
      expect(decodePrompt(rawOf(name, spoken))).toBe(name);
    },
  );
});

test('half-width katakana and Latin letters of the encoding of the settings stay what they are', () => {
  expect(createLineDecoder('shift_jis')(rawOf('説明: ﾙｰﾀｰ ﾎﾝｼｬ', 'shift_jis'))).toBe('説明: ﾙｰﾀｰ ﾎﾝｼｬ');
  expect(createLineDecoder('utf-8')(rawOf('Zürich, Genève', 'utf-8'))).toBe('Zürich, Genève');
});

test.each(['utf-8', 'euc-jp'])(
  'as %s, one damaged byte anywhere in a row is damage, whatever stands beside it',
  (label) => {
    const decode = createLineDecoder(label);
    const rows = [
      '       TCP     192.168.100.2.54434       203.0.113.86.443        60178      615',
      '    create 00:00:12, use 00:00:02 timeout:86400000, left 23:59:57, Map-Id(In): 2,',
    ];
    const found: string[] = [];
    for (const row of rows) {
      for (let at = 0; at < row.length; at += 1) {
        for (let byte = 0x80; byte <= 0xff; byte += 1) {
          const { text, isDamaged } = toScreenLine(
            row.slice(0, at) + String.fromCharCode(byte) + row.slice(at + 1),
            decode,
          );
          if (!isDamaged) {
            found.push(text);
          }
        }
      }
    }
    expect(found).toEqual([]);
  },
);

test('bytes that are no text in any encoding are damage', () => {
  for (const label of encodings) {
    expect(toScreenLine('TCP \xff\xfe 1', createLineDecoder(label)).isDamaged).toBe(true);
  }
  expect(() => createLineDecoder('no-such-encoding')).toThrow(RangeError);
});
