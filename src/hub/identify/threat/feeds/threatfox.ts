// ThreatFox: indicators of compromise, of the kinds that a connection can match (threatfox.abuse.ch/export).
import { parseListedName, parseListedSocket } from '../address.ts';
import type { DatedIndicator, Emit, Grade, Indicator, Parsed } from '../indicator.ts';
import { parseRows, readCsv } from './csv.ts';

const wanted = ['ioc_value', 'ioc_type', 'threat_type', 'fk_malware', 'malware_printable', 'confidence_level'] as const;

/** Below the first confidence an indicator is ignored, below the second it is a warning. */
const leastConfidence = 50;
const highConfidence = 75;

export function parseThreatFox(text: string, emit: Emit<DatedIndicator>): Parsed {
  const table = readCsv(text, wanted, ['is_compromised']);
  if ('problem' in table) {
    return table;
  }
  return parseRows(table, (cells) => {
    const [value = '', type = '', threat = '', malware = '', printable = '', level = '', compromised = ''] = cells;
    const confidence = /^\d{1,3}$/.test(level) ? Number(level) : null;
    const place = parsePlace(type, value);
    if (place === undefined || confidence === null) {
      return false;
    }
    if (place !== null && confidence >= leastConfidence) {
      const isSure = threat === 'botnet_cc' && confidence >= highConfidence && compromised !== 'True';
      const exact: Grade = isSure ? 2 : 1;
      const tag = printable === '' || printable === 'None' ? malware : printable;
      const { kind, value: listed, port } = place;
      emit({ feed: 'feed_ioc', kind, value: listed, port, exact, loose: 1, tag, url: '', freshUntil: null });
    }
    return true;
  });
}

/** What a connection can match; `null` for other kinds, `undefined` for invalid values. */
function parsePlace(type: string, text: string): Pick<Indicator, 'kind' | 'value' | 'port'> | null | undefined {
  switch (type) {
    case 'ip:port': {
      const socket = parseListedSocket(text);
      return socket ? { kind: 'ip', value: socket.ip, port: socket.port } : undefined;
    }
    case 'domain': {
      const value = parseListedName(text);
      return value === null ? undefined : { kind: 'domain', value, port: 0 };
    }
    default:
      return null;
  }
}
