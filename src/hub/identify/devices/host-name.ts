// Host names as evidence: some name the product, some the interface of a machine with two.

/** Default names of products, and generated names. */
const generic =
  /^(?:i(?:phone|pad|pod)|macbook(?:-?(?:pro|air))?|i?mac|android(?:[-_].*)?|galaxy.*|pixel.*|redmi.*|esp(?:32|8266)?(?:[-_].*)?|raspberrypi|localhost|unknown|host|client|pc|laptop|desktop|phone|tablet|tv|printer|camera|ubuntu|debian|linux|wlan\d*|eth\d*)(?:[-_ ]?\d{1,3})?$/;

/** Words that distinguish the interfaces of one machine. */
const interfaceWord = /[-_. ](?:wi-?fi|wlan|wireless|wifi\d|eth(?:ernet)?|lan|wired)\d?$/;

export interface HostName {
  /** Lower case, without domain. */
  text: string;
  /** The name of the machine: without the word that names the interface. */
  stem: string;
  namesInterface: boolean;
  /** Without value as evidence. */
  isGeneric: boolean;
}

export function readHostName(name: string): HostName {
  const text = name
    .trim()
    .toLowerCase()
    .replace(/\.(?:local|lan|home(?:\.arpa)?|localdomain)\.?$/, '');
  const stem = text.replace(interfaceWord, '');
  return { text, stem, namesInterface: stem !== text, isGeneric: stem === '' || generic.test(stem) };
}
