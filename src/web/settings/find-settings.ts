// The settings that the search finds, by the words of every language, with the card of the page that has each.
import { forms } from 'virtual:forms';
import type { Result } from '../search/find.ts';
import { may } from '../state/session.ts';
import { words as privacyWords } from '../text/privacy/words.ts';
import { words as restoreWords } from '../text/restore/words.ts';
import { en, type SettingsDictionary } from '../text/settings/en.ts';
import { words } from '../text/settings/words.ts';
import { listLabels } from './form/read-fields.ts';
import { sections } from './sections.ts';
import { hrefToSetting, type SectionName } from './setting-href.ts';

/** Most results. */
const most = 8;

type ReadText = (t: SettingsDictionary) => string;

interface SettingsCard {
  section: SectionName;
  part: string;
  title: ReadText;
  /** The labels of what can be set there: every language has the same ones in the same order. */
  settings?: (t: SettingsDictionary) => readonly string[];
  /** Other words for it. */
  terms: string;
}

const cards: readonly SettingsCard[] = [
  {
    section: 'routers',
    part: 'routers',
    title: (t) => t.sections.routers,
    settings: (t) => [t.routers.add, t.routers.hostKey],
    terms: 'router yamaha rtx cisco ios ssh nat ルーター 追加',
  },
  {
    section: 'agents',
    part: 'agents',
    title: (t) => t.agents.list,
    terms: 'agent computer program エージェント コンピューター',
  },
  { section: 'agents', part: 'code', title: (t) => t.agents.codeTitle, terms: 'enrol code コード 登録' },
  {
    section: 'agents',
    part: 'transport',
    title: (t) => t.agents.transport,
    terms: 'http https tls 暗号',
  },
  {
    section: 'sources',
    part: 'logs',
    title: (t) => t.sources.logs,
    settings: (t) => listLabels(forms['POST /api/config/datasources'], t.sources),
    terms: 'log file dns dnsmasq pi-hole suricata dhcp ログ ファイル',
  },
  {
    section: 'sources',
    part: 'look-ups',
    title: (t) => t.lookUps.title,
    settings: (t) => listLabels(forms['POST /api/config/enrichment'], t.lookUps),
    terms: 'enrichment dns ptr rdap whois geo location registry 照会 逆引き 位置',
  },
  {
    section: 'sources',
    part: 'mesh',
    title: (t) => t.mesh.title,
    settings: (t) => listLabels(forms['POST /api/login'], t.mesh),
    terms: 'mesh wireless wifi wi-fi 無線 メッシュ',
  },
  {
    section: 'sign-in',
    part: 'identities',
    title: (t) => t.signIn.identities,
    settings: (t) => [t.signIn.permissions, t.signIn.lifetime],
    terms: 'api token key credential permission prometheus grafana metrics monitoring トークン キー 権限 監視',
  },
  {
    section: 'sign-in',
    part: 'sessions',
    title: (t) => t.signIn.sessions,
    settings: (t) => [t.signIn.endAll],
    terms: 'session browser log out セッション ログアウト ブラウザー',
  },
  { section: 'sign-in', part: 'password', title: (t) => t.signIn.change, terms: 'login ログイン' },
  {
    section: 'sign-in',
    part: 'admin-token',
    title: (t) => t.signIn.adminToken,
    terms: 'token admin script api 管理者 トークン',
  },
  {
    section: 'sign-in',
    part: 'oidc',
    title: (t) => t.signIn.oidc,
    settings: (t) => listLabels(forms['POST /api/auth/security-config'], t.signIn),
    terms: 'oidc oauth sso single sign-on organisation 組織 シングルサインオン',
  },
  {
    section: 'assistants',
    part: 'assistants',
    title: (t) => t.sections.assistants,
    terms: 'mcp token claude inspector curl ai assistant トークン アシスタント 接続',
  },
  {
    section: 'feeds',
    part: 'feeds',
    title: (t) => t.sections.feeds,
    terms: 'threat feed list 脅威 リスト',
  },
  {
    section: 'feeds',
    part: 'lists',
    title: (t) => t.feeds.settings,
    settings: (t) => [t.feeds.authKey, t.feeds.dropLevel],
    terms: 'feed abuse.ch spamhaus キー',
  },
  {
    section: 'feeds',
    part: 'allow-list',
    title: (t) => t.allow.title,
    terms: 'allow exception false positive address 許可 例外 誤検出',
  },
  {
    section: 'feeds',
    part: 'block-list',
    title: (t) => t.blockList.title,
    settings: (t) => [t.blockList.value],
    terms: 'block deny firewall rpz hosts bind access-list filter 遮断 拒否 ブロック フィルター',
  },
  {
    section: 'feeds',
    part: 'reputation',
    title: (t) => t.feeds.reputation,
    settings: (t) => [t.feeds.cacheMinutes, t.feeds.intervalSeconds],
    terms: 'abuseipdb virustotal otx reputation look-up api key 照会 キー',
  },
  {
    section: 'alerts',
    part: 'channels',
    title: (t) => t.channels.title,
    settings: (t) => listLabels(forms['POST /api/config/detection-notifications'], t.channels),
    terms: 'alert notification detection channel アラート 通知 検出',
  },
  {
    section: 'alerts',
    part: 'beacons',
    title: (t) => t.beacons.title,
    settings: (t) => listLabels(forms['POST /api/beacons/config'], t.beacons),
    terms: 'beacon interval regular ビーコン 間隔',
  },
  {
    section: 'chat',
    part: 'workspace',
    title: (t) => t.chat.settings,
    settings: (t) => listLabels(forms['POST /api/config/chat'], t.chat),
    terms: 'chat slack notification message token 通知 チャット メッセージ トークン',
  },
  {
    section: 'chat',
    part: 'destinations',
    title: (t) => t.destinations.title,
    settings: (t) => [t.destinations.add, t.destinations.quietHours],
    terms: 'webhook mqtt email mail ntfy gotify discord telegram pushover teams home assistant quiet mute 通知 メール',
  },
  { section: 'chat', part: 'member', title: (t) => t.chat.find, terms: 'chat user チャット' },
  {
    section: 'ai',
    part: 'provider',
    title: (t) => t.sections.ai,
    terms: 'ai provider model key anthropic openai bedrock ollama モデル キー プロバイダー',
  },
  {
    section: 'general',
    part: 'general',
    title: (t) => t.sections.general,
    settings: (t) => listLabels(forms['POST /api/config/general'], t.general),
    terms: 'retention delete days size limit country language 保存 期間 サイズ 上限 言語 国',
  },
  {
    section: 'general',
    part: 'disk',
    title: (t) => t.general.disk,
    terms: 'disk space database size day 空き容量 データベース サイズ',
  },
  {
    section: 'privacy',
    part: 'privacy',
    title: (t) => t.sections.privacy,
    settings: () => [privacyWords.value.notKept, privacyWords.value.erase],
    terms: 'privacy guest erase forget delete mark プライバシー ゲスト 消去',
  },
  {
    section: 'backups',
    part: 'backups',
    title: (t) => t.sections.backups,
    settings: (t) => [t.backups.create, restoreWords.value.restore],
    terms: 'backup restore download バックアップ 復元',
  },
  {
    section: 'backups',
    part: 'restore',
    title: () => restoreWords.value.fromFile,
    settings: () => [restoreWords.value.file],
    terms: 'backup restore upload file バックアップ 復元 ファイル',
  },
  {
    section: 'backups',
    part: 'plan',
    title: (t) => t.backups.plan,
    settings: (t) => listLabels(forms['POST /api/backup/config'], t.backups),
    terms: 'backup schedule バックアップ 予定',
  },
  { section: 'backups', part: 'prune', title: (t) => t.backups.prune, terms: 'backup バックアップ' },
  {
    section: 'audit',
    part: 'audit',
    title: (t) => t.sections.audit,
    settings: (t) => [t.audit.export],
    terms: 'audit log trail history who 監査 履歴 記録',
  },
  {
    section: 'about',
    part: 'about',
    title: (t) => t.sections.about,
    settings: (t) => [t.about.version, t.about.uptime],
    terms: 'version licence offline バージョン ライセンス',
  },
  { section: 'about', part: 'warnings', title: (t) => t.about.warnings, terms: 'warning 警告' },
];

/** Loads the words of every language: people type the one that they know. */
export async function loadSettingsFinder(): Promise<(typed: string) => Result[]> {
  const all: readonly SettingsDictionary[] = [en, (await import('../text/settings/ja.ts')).ja];
  return (typed) => findSettings(typed.trim().toLowerCase(), all).slice(0, most);
}

/** The cards first, then what people can set on them. */
function findSettings(wanted: string, all: readonly SettingsDictionary[]): Result[] {
  const shown = words.value;
  const has = (texts: readonly string[]) => texts.some((one) => one.toLowerCase().includes(wanted));
  const toResult = ({ section, part }: SettingsCard, title: string): Result => ({
    title,
    more: title === shown.sections[section] ? '' : shown.sections[section],
    to: hrefToSetting(section, part),
  });
  const seen = cards.filter(({ section }) => sections.some(({ name, needs }) => name === section && may(needs)));
  const titles = seen.filter(({ title, terms }) => has([terms, ...all.map(title)]));
  const settings = seen.flatMap((card) => {
    const labels = all.map((t) => card.settings?.(t) ?? []);
    const isFound = (_: string, at: number) => has(labels.map((ofLanguage) => ofLanguage[at] ?? ''));
    return (card.settings?.(shown) ?? []).filter(isFound).map((label) => toResult(card, label));
  });
  return [...titles.map((card) => toResult(card, card.title(shown))), ...settings];
}
