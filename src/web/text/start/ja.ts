// Japanese of the list of first steps.
import type { StartDictionary } from './en.ts';

export const ja: StartDictionary = {
  title: '最初の手順',
  progress: (done, total) => `${total} 件中 ${done} 件完了`,
  done: '完了',
  open: '未完了',
  putAway: 'この一覧を閉じる',
  unwanted: '不要',
  unsaved: {
    title: '保存せずに移動しますか？',
    help: 'このフォームの変更はまだ保存されていません。移動すると失われます。',
    stay: 'このページに残る',
    leave: '保存せずに移動',
  },
  steps: {
    router: {
      title: 'ルーターを追加する',
      why: 'どの機器がどこへ接続しているかを知るのはルーターです。ないと何も表示できません。',
      to: '設定: ルーター',
    },
    poll: {
      title: 'ルーターの最初の読み取り',
      why: 'Gatehouse がルーターのテーブルを読み取ると、接続が表示されます。',
      to: 'ルーターの状態',
    },
    key: {
      title: '3つの脅威リスト用の無料キー',
      why: 'ないと、接続先を Feodo Tracker、ThreatFox、URLhaus と照合できません。',
      to: '設定: 脅威リスト',
    },
    chat: {
      title: 'チャットへの通知',
      why: '設定しないと、このページを開いた人にしか通知が見えません。',
      to: '設定: 通知',
    },
    password: {
      title: '自分で決めたパスワード',
      why: '初回起動時のパスワードは、ファイルや画面に表示されました。',
      to: '設定: ログイン',
    },
    backup: {
      title: 'バックアップ',
      why: 'ディスクが壊れたとき、記録とメモを戻せるのはバックアップだけです。',
      to: '設定: バックアップ',
    },
    agent: {
      title: 'エージェント（任意）',
      why: 'コンピューターのエージェントは、どのプログラムの接続かを教えます。',
      to: '設定: エージェント',
    },
  },
};
