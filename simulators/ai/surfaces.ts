// The four providers, and where each is found below the one address of the simulator.

export type Provider = 'local' | 'cloud_a' | 'cloud_b' | 'cloud_c';

/** First part of the path, such as `/cloud_a/v1/messages`; Bedrock has an address for each of its two services. */
export const surfaces = {
  local: 'local',
  cloud_a: 'cloud_a',
  cloud_b: 'cloud_b',
  cloud_c_runtime: 'cloud_c',
  cloud_c_control: 'cloud_c',
} as const satisfies Record<string, Provider>;

export type Surface = keyof typeof surfaces;
