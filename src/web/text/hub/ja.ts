// Japanese of what the hub says in sentences, for words.ts.
import { failures } from '../router/ja-failures.ts';
import type { HubWords } from './en.ts';

export const ja = {
  gaps: {
    ...failures,
    hub_off: 'ハブが停止していたか、別のデータベースを使っていました',
    waiting: 'まだ応答がありませんでした',
    disabled: '無効になっていました',
    save_failed: '読み取った内容をハブが保存できませんでした',
    table_cut: 'セッションテーブルの一部だけを読み取りました',
    rows_not_read: 'セッションテーブルに解釈できない行がありました',
    changing: '一部の時間だけ観測しました',
    silent: '何も届きませんでした。保存された記録は後から届くことがあります',
    stale: 'リストが古くなっていました',
    pending: 'リストをまだダウンロードしていませんでした',
    failed: 'リストをダウンロードできませんでした',
    unauthorised: 'API キーがないか、拒否されました',
    offline: 'ハブはオフラインモードです',
    nothing_set_up: 'まだ何も設定されていませんでした',
  },
  blindSpots: {
    between_reads: '二回の読み取りの間に始まって終わり、次の読み取りでルーターの一覧に残っていない接続',
    between_socket_reads: 'ソケットテーブルの二回の読み取りの間に始まって終わる接続',
    unconnected_udp: '接続していないソケットの UDP（多くの DNS の問い合わせなど）',
  },
  about: (share) => `（約 ${share}）`,
} satisfies Required<HubWords>;
