// Japanese of what the hub says of routers, for ja.ts.
import type { HubWords } from './en.ts';
import { failures } from './ja-failures.ts';

export const routers = {
  failures,
  waits: 'このルーターの設定を変更するまで再試行しません。',
  incomplete: (shown) =>
    `${shown} 件のセッションを読み取りましたが、テーブルの終わりまでは読めませんでした。終了とは判断しません。`,
  diagnostics: {
    greeting: '最初の応答',
    lastLine: '最後の行',
    known: '以前の鍵',
    presented: '今回の鍵',
    offered: 'ルーターの方式',
    ours: 'ハブの方式',
    descriptor: '指定した番号',
    candidates: 'ルーターにある番号',
  },
  notes: {
    table_full: ({ most, used }) =>
      `NAT テーブルが満杯です（${most} 件中 ${used} 件）。ルーターは新しい接続を拒否します。`,
    table_in_pages: ({ pages }) =>
      `ルーターが NAT テーブルを ${pages} ページに分けて表示するため、読み取りに時間がかかります。ルーターで \`console lines infinity\` を設定すると、ページ分けがなくなります。`,
    paging_stays_on: () =>
      'このユーザーには `terminal length 0` が許可されていないため、ルーターはテーブルをページごとに表示します。',
    no_times: () =>
      'このユーザーには NAT テーブルの時刻が表示されません。セッションが最後に使われた時刻は分かりません。',
    cells_merged: () =>
      '実習用シミュレーターの出力のように、NAT テーブルの列がつながっています。このテーブルは読み取れません。',
    clock_not_set: () =>
      'ルーターの時計が合っていません。経過時間はその時計のまま計算します。ルーターに NTP を設定してください。',
    keys_lost: ({ questions }) =>
      `ルーターのページ送りで、キーが ${questions} 回効かず、もう一度押すと進みました。ルーターが混み合っているか、回線でキーが失われています。ページ分けをなくすと、キーは必要ありません。`,
    log_in_table: ({ lines }) =>
      `NAT テーブルの行の間に、ルーターのログが ${lines} 行出力されました。ログで二つに切れた行は取り込まず、テーブルは不完全として扱います。ルーターでセッションへのログ出力を止められます。`,
    rows_not_supported: ({ rows }) =>
      `NAT テーブルの ${rows} 行は、対応していない形式（ポート範囲、IPv6、サービス名）のため、記録に含まれません。`,
    arp_incomplete: ({ declared, read }) => `ARP エントリー ${declared} 件のうち ${read} 件だけを読み取れました。`,
    several_descriptors: ({ descriptors, chosen }) =>
      `ルーターに複数の NAT ディスクリプター（${descriptors.join('、')}）があります。${chosen === null ? 'どれを使うか' : `${chosen} でよいか`}を確認してください。`,
    console: ({ encoding, lines, columns }) =>
      `文字コード ${encoding}、${lines} 行、${columns} 桁です。どれも変更していません。`,
    text_withheld: () => 'このルーターのパスワードを含むため、ルーターの出力の一部を表示していません。',
  },
} satisfies Required<HubWords['routers']> & { notes: Required<HubWords['routers']['notes']> };
