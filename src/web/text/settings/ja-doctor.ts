// Japanese of the checks of the hub.
import type { SettingsDictionary } from './en.ts';

export const ja: SettingsDictionary['doctor'] = {
  title: 'ハブの点検',
  help: '時計、ディスク、権限、ルーター、エージェント、名前、フィード、バックアップ、待ち受けを調べます。',
  check: '今すぐ点検',
  checked: '点検しました。',
  download: '診断をダウンロード',
  downloadHelp:
    'パスワードやキーは含みませんが、ネットワーク内の名前とアドレスを含みます。公開する前に確認してください。',
  states: { ok: '正常', unknown: '不明', advice: '要確認', problem: '異常' },
  checks: {
    port: 'ポート',
    settings: '設定',
    database: 'データベース',
    clock: '時計',
    disk: 'ディスク',
    permissions: '権限',
    routers: 'ルーター',
    agents: 'エージェント',
    names: '名前',
    feeds: '脅威フィード',
    backups: 'バックアップ',
    listener: '待ち受け',
  },
};
