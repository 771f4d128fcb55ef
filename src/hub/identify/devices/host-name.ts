// Prepares host names for comparison: an equal name is evidence that two device records are one device.

/** Names that many devices share: product defaults such as `iphone`, and names generated from them. */
const generic =
  /^(?:i(?:phone|pad|pod)|macbook(?:-?(?:pro|air))?|i?mac|android(?:[-_].*)?|galaxy.*|pixel.*|redmi.*|esp(?:32|8266)?(?:[-_].*)?|raspberrypi|localhost|unknown|host|client|pc|laptop|desktop|phone|tablet|tv|printer|camera|ubuntu|debian|linux|wlan\d*|eth\d*)(?:[-_ ]?\d{1,3})?$/;

/** Last words such as `-wifi`, which tell apart the interfaces of one device. */
const interfaceSuffix = /[-_. ](?:wi-?fi|wlan|wireless|wifi\d|eth(?:ernet)?|lan|wired)\d?$/;

export interface HostName {
  /** Lower case, without domain. */
  text: string;
  /** The name of the device: `text` without the interface suffix. */
  stem: string;
  namesInterface: boolean;
  /** The name is empty or shared by many devices, so it is no evidence. */
  isGeneric: boolean;
}

export function readHostName(name: string): HostName {
  const text = name
    .trim()
    .toLowerCase()
    .replace(/\.(?:local|lan|home(?:\.arpa)?|localdomain)\.?$/, '');
  const stem = text.replace(interfaceSuffix, '');
  return { text, stem, namesInterface: stem !== text, isGeneric: stem === '' || generic.test(stem) };
}
