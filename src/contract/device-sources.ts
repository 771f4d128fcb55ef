// What a device was seen by. Apart from the schemas: reader threads load this file, and no validator.

export const deviceSources = ['nat', 'inspect', 'dhcp', 'mesh', 'ndp', 'agent', 'vendor_a', 'vendor_b'] as const;
export type DeviceSource = (typeof deviceSources)[number];
