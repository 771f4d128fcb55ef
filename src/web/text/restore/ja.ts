// Japanese of restoring a backup.
import type { RestoreDictionary } from './en.ts';

export const ja: RestoreDictionary = {
  fromFile: 'ファイルから復元',
  fromFileHelp: '以前にダウンロードしたバックアップを選んでください。先に検証します。確認するまで何も変更されません。',
  file: 'バックアップのファイル',
  checking: 'ファイルの検証',
  verifying: 'ハブがファイルを検証しています…',
  sent: (done, total) => `${total} のうち ${done} を送信済み`,
  found: 'ファイルの内容',
  made: '作成日時',
  changed: 'ファイルの更新日時',
  size: 'サイズ',
  version: 'スキーマのバージョン',
  sameVersion: (version) => `${version}（このハブと同じ）`,
  olderVersion: (version, own) => `${version}（${own} に更新されます）`,
  verified: '検証',
  whole: '済み、破損はありません',
  restore: '復元',
  title: (at) => `${at} のバックアップを復元しますか？`,
  help: (at) =>
    `データベースは ${at} の状態に戻ります。それ以降に記録された接続、検出、メモは失われます。元に戻せるように、先に現在の状態のバックアップを作ります。設定はそのまま残ります。全員がもう一度ログインする必要があります（あなたも含みます）。`,
  word: '復元',
  typeWord: (word) => `確認のため「${word}」と入力してください`,
  restoring: 'ハブがバックアップを復元しています。お待ちください。ここからは中止できません。',
  restored: 'バックアップを復元しました',
  result: (at, former) => `${at} のバックアップを復元しました。以前の状態は ${former} として保存しました。`,
  nothingCarriedOver:
    '以前のデータベースを読み取れませんでした。監査記録と AI の利用記録はバックアップの時点までです。無視した「規則的なビーコン通信」が再び通知されることがあります。API の認証情報とエージェントはすべて失効したため、作り直し、登録し直してください。',
  sessionsEnded: 'このブラウザーを含め、すべてのセッションが終了しました。',
  problems: {
    notBackup:
      'このファイルは Gatehouse のバックアップではありません。バックアップの一覧からダウンロードしたファイルを選んでください。',
    tooLarge: (most) =>
      `ファイルが ${most} を超えています。ハブのコンピューターで「gatehouse backup restore」を使って復元してください。`,
    newer: (version, own) =>
      `バックアップのデータベースはバージョン ${version}、このハブは ${own} です。先にハブを更新してください。`,
    damaged: 'バックアップが破損しているか、途中で切れています。もう一度ダウンロードするか、別のものを選んでください。',
    noRoom: 'ハブのディスクの空きが足りません。空きを作ってから、もう一度試してください。',
    busy: 'ハブは別のバックアップを処理しています。終わるのを待って、もう一度試してください。',
    lost: 'ハブとの接続が切れました。ハブが動いていることを確認して、もう一度試してください。',
    unknownEnd: '復元の途中で接続が切れました。このページを読み込み直し、最新の接続をバックアップと比べてください。',
    nothingChanged: '何も変更されていません。',
  },
};
