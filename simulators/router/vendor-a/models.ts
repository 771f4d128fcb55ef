// What vendor_a models print about their own hardware. Values that no capture gives are plain guesses of the right shape.

export interface ModelFacts {
  bootRom: string;
  memoryMb: number;
  lans: number;
  bri: number;
  /** First and last year of the copyright line. */
  copyright: string;
}

const models: Readonly<Record<string, ModelFacts>> = {
  RTX1210: { bootRom: '1.04', memoryMb: 256, lans: 3, bri: 1, copyright: '1994-2024' },
  RTX1300: { bootRom: '1.00', memoryMb: 1024, lans: 3, bri: 0, copyright: '1994-2024' },
  RTX830: { bootRom: '1.01', memoryMb: 256, lans: 2, bri: 0, copyright: '1994-2024' },
  RTX810: { bootRom: '1.02', memoryMb: 128, lans: 2, bri: 0, copyright: '1994-2019' },
};

const unlisted: ModelFacts = { bootRom: '1.00', memoryMb: 256, lans: 2, bri: 0, copyright: '1994-2024' };

export function modelFacts(model: string): ModelFacts {
  return models[model] ?? unlisted;
}

/** `Memory 256Mbytes, 3LAN, 1BRI` of the login banner and of `show config`. */
export function memoryLine({ memoryMb, lans, bri }: ModelFacts): string {
  return `Memory ${memoryMb}Mbytes, ${lans}LAN${bri > 0 ? `, ${bri}BRI` : ''}`;
}
