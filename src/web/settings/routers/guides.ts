// What to type on a router so that the hub may log in: commands as the makers document them.
import type { RouterKind } from '#contract/routers.ts';

export const guides: Readonly<Record<RouterKind, readonly string[]>> = {
  vendor_a: ['administrator', 'login user NAME PASSWORD', 'sshd host key generate', 'sshd service on', 'save'],
  vendor_b: [
    'configure terminal',
    'ip domain-name home.arpa',
    'crypto key generate rsa modulus 2048',
    'ip ssh version 2',
    'username NAME secret PASSWORD',
    'line vty 0 4',
    'login local',
    'transport input ssh',
    'end',
    'write memory',
  ],
};
