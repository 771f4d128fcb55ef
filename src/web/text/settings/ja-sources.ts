// Japanese of data sources, detection and the allow list, for ja.ts.
import type { Same } from '../en.ts';
import type { en } from './en-sources.ts';

const log = {
  enabled: 'このログを読む',
  logFile: 'ファイル',
  logFileHelp: '/var/log の下か、MONITOR_LOG_PATH_PREFIXES のフォルダーの下にあるファイル。',
};
const channels = { chat: 'チャットに送る', history: '記録に残し、通知として表示する' };

export const ja: Same<typeof en> = {
  sources: {
    logs: '読み取るログ',
    logsHelp: '他のプログラムが書き込むファイルをハブが読み続け、名前や機器を知ります。',
    dns: { title: 'ネームサーバー', help: 'dnsmasq または Pi-hole の問い合わせログ（log-queries）。', ...log },
    inspect: { title: 'パケット検査', help: 'Yamaha RTX の動的フィルター、または Suricata の EVE ログ。', ...log },
    dhcp: { title: 'DHCP サーバー', help: 'Yamaha RTX、dnsmasq、ISC dhcpd の割り当て。', ...log },
    states: { off: '停止中', waiting: 'ファイルを待っています', following: '読み取り中', failed: '失敗' },
    lines: (_count, understood, all) => `${all} 行のうち ${understood} 行を解釈`,
    lastLine: (age) => `最後の行 ${age}`,
  },
  lookUps: {
    title: 'ハブの外への照会',
    help: 'どれも、このネットワークの機器が通信するアドレスを外部に知らせます。オンにするまで、すべて停止しています。',
    ptr: {
      title: 'アドレスの名前（PTR）',
      help: 'アドレスがネームサーバーに送られ、そこから他へ渡ることがあります。',
      enabled: '名前を照会する',
      resolver: 'ネームサーバー',
      resolverHelp: 'アドレス、または「アドレス:ポート」。空の場合は MONITOR_INTERNAL_DNS を使います。',
    },
    rdap: {
      title: 'アドレスの所有者（RDAP）',
      help: 'アドレスがインターネットのレジストリと、その案内先に送られます。',
      enabled: '所有者を照会する',
      bootstrapUrl: 'レジストリ一覧の場所',
      bootstrapUrlHelp: 'ipv4.json と ipv6.json がある https のフォルダー（RFC 9224）。',
    },
    geo: {
      title: 'アドレスの場所',
      help: 'アドレスが、選んだ位置情報サービスに送られます。',
      enabled: '場所を照会する',
      url: 'サービスのアドレス',
      urlHelp: 'https のアドレス。照会するアドレスの位置に {ip} と書きます。',
      token: 'トークン',
      tokenHelp: 'Bearer トークンとして送ります。別のホストにするときは、もう一度入力してください。',
      clearToken: '保存済みのトークンを消去',
    },
  },
  mesh: {
    title: 'メッシュアクセスポイント',
    help: '無線機器の名前と、それぞれがどの装置につながっているかがわかります。',
    states: { off: '未設定', connecting: '接続しています', ready: '接続済み', failed: '失敗' },
    nodes: (_count, shown) => `装置 ${shown} 台`,
    routerIp: 'アドレス',
    routerIpHelp: 'プライベートアドレス、または「アドレス:ポート」。',
    username: 'ログイン名',
    usernameHelp: '空の場合は、保存済みの名前か「admin」を使います。',
    password: 'パスワード',
    passwordHelp: '別のアドレスにするときは、もう一度入力してください。',
    submit: 'ログインして保存',
    off: '使用をやめる',
    offTitle: 'メッシュアクセスポイントの使用をやめますか？',
    offHelp: 'アドレスとパスワードは削除されます。これまでに得た情報は残ります。',
  },
  channels: {
    title: '検出の通知先',
    help: 'チャットに送るには、「チャット」でワークスペースを設定してください。',
    threat: { title: '既知の不正な宛先', ...channels },
    newDevice: { title: '新しい機器', ...channels },
    beacon: { title: '規則的なビーコン通信', ...channels },
    retroMatch: { title: 'リスト掲載前の接続', ...channels },
  },
  beacons: {
    title: '規則的なビーコン通信',
    help: '外部に報告するプログラムは、一定の間隔で通信することがよくあります。保存すると、すぐに検索します。',
    enabled: '検索する',
    minObs: '必要な通信の回数',
    maxCov: '間隔のばらつきの上限（0～2）',
    maxCovHelp: '標準偏差を平均で割った値。0 は完全に一定です。',
    minIntervalMs: '最短の間隔（秒）',
    maxIntervalMs: '最長の間隔（分）',
    scanIntervalMs: '検索の間隔（分）',
    whitelistDomains: '無害な名前（1行に1つ）',
    whitelistDomainsHelp: 'その下の名前も無害とします。',
    orgAllowlist: '無害な組織（1行に1つ）',
    orgAllowlistHelp: '名前の一部だけでもかまいません。',
  },
  beaconTrial: {
    begin: '保存されている日数で試す',
    help: '上の欄の値で、保存されている通信をもう一度検索します。設定は保存されず、誰にも通知しません。',
    found: (given, saved, both) =>
      `この設定で通知されるビーコン：${given} 件。保存済みの設定：${saved} 件。両方に共通：${both} 件。`,
    period: (from, to, flows) =>
      `対象：${from} ～ ${to}、繰り返された通信 ${flows} 件。通信の時刻は7日間保存されます。名前、組織、脅威リストは現在のものです。`,
    dismissed: (count) => `却下済みのため通知されない通信：${count} 件。`,
    nothingStored: '通信の時刻がまだ保存されていないため、試す対象がありません。',
    none: 'この設定でも保存済みの設定でも、通知されるものはありません。',
    givenOnly: 'この設定のみ',
    savedOnly: '保存済みの設定のみ',
    both: '両方',
    truncated: (count) => `新しい ${count} 件を表示しています。`,
  },
  allow: {
    title: '許可リスト',
    help: 'ここに載せたものは、脅威リストの内容にかかわらず、脅威とみなしません。',
    allowList: 'アドレス、範囲、名前（1行に1つ）',
    added: (address) => `${address} を下に追加しました。保存すると許可されます。`,
    known: (address) => `${address} はすでに載っています。`,
  },
};
