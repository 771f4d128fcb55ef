// Japanese of the chart of connections over time.
import type { ChartDictionary } from './en.ts';

export const ja: ChartDictionary = {
  asTable: '時間ごとの接続数の表',
  brush: '期間の一部を選択: 矢印キーで棒を選び、Shift を押しながらで範囲を広げ、Enter で表示します',
  part: (from, to, facts) => `${from} から ${to}: ${facts}。`,
  connections: (_count, shown) => `接続 ${shown} 件`,
  unseen: '観測なし',
  alerts: (_count, shown, kinds) => `通知 ${shown} 件（${kinds}）`,
  hint: 'Enter で表示、Esc で取り消し。',
  oneBar: (length) => `棒 1 本は${length}です。`,
  marks: { danger: '通知: 危険', warn: '通知: 警告' },
  marksLeft: (shown) => `新しい ${shown} 件の通知だけを示しています。`,
  back: (period) => `${period} に戻る`,
  columns: { time: '開始', connections: '接続', alerts: '通知' },
};
