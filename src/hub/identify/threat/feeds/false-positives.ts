// False positives of the feeds of abuse.ch (hunting-api.abuse.ch, query get_fplist).
import { parseListedAddress, parseListedName, parseListedSocket } from '../address.ts';
import type { Emit, Exception, Parsed } from '../indicator.ts';
import { parseRows, readCsv } from './csv.ts';

export function parseFalsePositives(text: string, emit: Emit<Exception>): Parsed {
  const table = readCsv(text, ['entry_type', 'entry_value']);
  if ('problem' in table) {
    return table;
  }
  return parseRows(table, ([type = '', value = '']) => {
    if (type === '' || value === '') {
      return false;
    }
    const exception = parseException(type.toLowerCase(), value);
    if (exception) {
      emit(exception);
    }
    return true;
  });
}

/** `null` for kinds that no connection can match, such as hashes, and for invalid values. */
function parseException(type: string, text: string): Exception | null {
  if (type === 'url') {
    return { kind: 'url', value: text, port: 0 };
  }
  if (type === 'domain') {
    const value = parseListedName(text);
    return value === null ? null : { kind: 'domain', value, port: 0 };
  }
  const socket = parseListedSocket(text);
  if (socket) {
    return { kind: 'ip', value: socket.ip, port: socket.port };
  }
  const address = type.startsWith('ip') ? parseListedAddress(text) : null;
  return address ? { ...address, port: 0 } : null;
}

/** An entry of the operator's allow list; `null` when it is no address, range or name. */
export function parseAllowed(text: string): Exception | null {
  const address = parseListedAddress(text);
  if (address) {
    return { ...address, port: 0 };
  }
  const value = parseListedName(text.replace(/^\*\./, ''));
  return value === null ? null : { kind: 'domain', value, port: 0 };
}
