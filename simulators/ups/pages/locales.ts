// The languages of the simulated web UI: words, units and decimal marks. `seen` words were published by readers of the
// product; `presumed` ones are our own wording and prove nothing about it.
import { type Item, items, type UnitState } from '../values.ts';

export interface Word {
  text: string;
  /** Whether somebody saw the product show it. */
  seen: boolean;
}

export interface Language {
  decimalMark: '.' | ',';
  /** Mark between thousands, where the option `grouping` is on. */
  groupMark: string;
  logOn: Word;
  logOff: Word;
  userName: Word;
  password: Word;
  busy: Word;
  wrongPassword: Word;
  locked: Word;
  unitStatus: Word;
  power: Word;
  battery: Word;
  outlets: Word;
  labels: Record<Item, Word>;
  units: Partial<Record<Item, Word>>;
  states: Record<UnitState, Word>;
}

const seen = (text: string): Word => ({ text, seen: true });
const presumed = (text: string): Word => ({ text, seen: false });

/** Every language but English has this sign where English has words: what the product shows there is not known. */
const logOffSign = presumed('⊗');

function createLabels(text: string, word = presumed): Record<Item, Word> {
  const labels = text.split('|');
  return Object.fromEntries(items.map((item, at) => [item, word(labels[at] ?? '')])) as Record<Item, Word>;
}

function createUnits(minutes: Word, ampere: Word, ac: Word, dc: Word): Language['units'] {
  const percent = seen('%');
  const hertz = seen('Hz');
  return {
    RealPowerPct: percent,
    RuntimeRemaining: minutes,
    ApparentPowerPct: percent,
    LoadCurrent: ampere,
    InputVoltage: ac,
    OutputVoltage: ac,
    InputFrequency: hertz,
    OutputFrequency: hertz,
    BatteryCharge: percent,
    VoltageDC: dc,
  };
}

export const languages = {
  en: {
    decimalMark: '.',
    groupMark: ',',
    logOn: seen('Log On'),
    logOff: seen('Log Off'),
    userName: presumed('User Name'),
    password: presumed('Password'),
    busy: presumed('Another user is already logged on.'),
    wrongPassword: presumed('The user name or password is incorrect.'),
    locked: presumed('The account is locked. Try again in 2 minutes.'),
    unitStatus: presumed('UPS Status'),
    power: presumed('Power'),
    battery: presumed('Battery'),
    outlets: presumed('Outlets'),
    labels: createLabels(
      'Device Status|UPS Load|Runtime Remaining|Internal Temperature|Load Power (VA)|Load Current|Input Voltage|Output Voltage|Input Frequency|Output Frequency|Battery Charge|Battery Voltage',
    ),
    units: createUnits(seen('minutes'), seen('Amps'), seen('VAC'), seen('VDC')),
    states: {
      online: seen('On Line'),
      battery: seen('On Battery'),
      boost: seen('On Line, AVR Boost Active'),
      trim: seen('On Line, AVR Trim Active'),
    },
  },
  ja: {
    decimalMark: '.',
    groupMark: ',',
    logOn: seen('ログオン'),
    logOff: logOffSign,
    userName: presumed('ユーザー名'),
    password: presumed('パスワード'),
    busy: presumed('別のユーザーが既にログオンしています。'),
    wrongPassword: presumed('ユーザー名またはパスワードが正しくありません。'),
    locked: presumed('アカウントがロックされています。2 分後に再試行してください。'),
    unitStatus: presumed('UPSステータス'),
    power: presumed('電源'),
    battery: presumed('バッテリー'),
    outlets: presumed('コンセント'),
    labels: createLabels(
      'デバイスステータス|UPS負荷|ランタイム残り時間|内部温度|負荷電力 (VA)|負荷電流|入力電圧|出力電圧|入力周波数|出力周波数|バッテリー充電|バッテリー電圧',
    ),
    units: createUnits(seen('分'), presumed('A'), presumed('VAC'), presumed('VDC')),
    states: {
      online: seen('オンライン'),
      battery: presumed('バッテリー使用中'),
      boost: presumed('オンライン、AVR昇圧中'),
      trim: presumed('オンライン、AVR降圧中'),
    },
  },
  es: {
    decimalMark: ',',
    groupMark: '.',
    logOn: presumed('Inicio de sesión'),
    logOff: logOffSign,
    userName: presumed('Nombre de usuario'),
    password: presumed('Contraseña'),
    busy: seen('No se ha podido iniciar la sesión. El usuario ya está conectado.'),
    wrongPassword: presumed('El nombre de usuario o la contraseña no son correctos.'),
    locked: presumed('La cuenta está bloqueada. Inténtelo de nuevo en 2 minutos.'),
    unitStatus: presumed('Estado del SAI'),
    power: presumed('Alimentación'),
    battery: presumed('Batería'),
    outlets: presumed('Salidas'),
    labels: {
      ...createLabels(
        'Estado del dispositivo|Carga del SAI|Autonomía restante|Temperatura interna|Potencia de carga (VA)|Corriente de carga|Voltaje de entrada|Voltaje de salida|Frecuencia de entrada|Frecuencia de salida||Voltaje de la batería',
      ),
      BatteryCharge: seen('Carga de la batería'),
    },
    units: createUnits(presumed('minutos'), presumed('A'), seen('VCA'), seen('VCD')),
    states: {
      online: seen('En línea'),
      battery: presumed('En batería'),
      boost: presumed('En línea, AVR elevador activo'),
      trim: presumed('En línea, AVR reductor activo'),
    },
  },
  de: {
    decimalMark: ',',
    groupMark: '.',
    logOn: presumed('Anmelden'),
    logOff: logOffSign,
    userName: presumed('Benutzername'),
    password: presumed('Kennwort'),
    busy: presumed('Ein anderer Benutzer ist bereits angemeldet.'),
    wrongPassword: presumed('Benutzername oder Kennwort ist falsch.'),
    locked: presumed('Das Konto ist gesperrt. Versuchen Sie es in 2 Minuten erneut.'),
    unitStatus: presumed('USV-Status'),
    power: presumed('Stromversorgung'),
    battery: presumed('Batterie'),
    outlets: presumed('Ausgänge'),
    labels: createLabels(
      'Gerätestatus|USV-Last|Verbleibende Laufzeit|Innentemperatur|Lastleistung (VA)|Laststrom|Eingangsspannung|Ausgangsspannung|Eingangsfrequenz|Ausgangsfrequenz|Batterieladung|Batteriespannung',
    ),
    units: createUnits(presumed('Minuten'), presumed('A'), presumed('VAC'), presumed('VDC')),
    states: {
      online: presumed('Online'),
      battery: presumed('Batteriebetrieb'),
      boost: presumed('Online, AVR-Anhebung aktiv'),
      trim: presumed('Online, AVR-Absenkung aktiv'),
    },
  },
  fr: {
    decimalMark: ',',
    groupMark: '\u202f',
    logOn: presumed('Ouvrir une session'),
    logOff: logOffSign,
    userName: presumed("Nom d'utilisateur"),
    password: presumed('Mot de passe'),
    busy: presumed('Un autre utilisateur est déjà connecté.'),
    wrongPassword: presumed("Le nom d'utilisateur ou le mot de passe est incorrect."),
    locked: presumed('Le compte est verrouillé. Réessayez dans 2 minutes.'),
    unitStatus: presumed("État de l'onduleur"),
    power: presumed('Alimentation'),
    battery: presumed('Batterie'),
    outlets: presumed('Prises'),
    labels: createLabels(
      "État de l'appareil|Charge de l'onduleur|Autonomie restante|Température interne|Puissance de charge (VA)|Courant de charge|Tension d'entrée|Tension de sortie|Fréquence d'entrée|Fréquence de sortie|Charge de la batterie|Tension de la batterie",
    ),
    units: createUnits(presumed('minutes'), presumed('A'), presumed('VCA'), presumed('VCC')),
    states: {
      online: presumed('En ligne'),
      battery: presumed('Sur batterie'),
      boost: presumed('En ligne, AVR élévateur actif'),
      trim: presumed('En ligne, AVR abaisseur actif'),
    },
  },
} as const satisfies Record<string, Language>;

export type LocaleName = keyof typeof languages;
export const localeNames = Object.keys(languages) as LocaleName[];

/** The words of a language; those of English for one that only saved pages have. */
export function getLanguage(locale: string): Language {
  return localeNames.find((name) => name === locale) ? languages[locale as LocaleName] : languages.en;
}
