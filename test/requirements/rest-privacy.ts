// REST API: whose destinations are not kept (docs/privacy.md).
import { type Requirement, stated } from './requirement.ts';

export const restPrivacy: readonly Requirement[] = stated(1, '4.18 Privacy', {
  'rest.privacy.nowhere':
    'after a mark no destination of the device is in any table, file, log, payload, answer or backup made later',
  'rest.privacy.counted': 'the connections that began are counted by device and hour, whatever the mix of marks',
  'rest.privacy.erased':
    'what was kept is erased on request, and no byte of it stays in the data folder but in backups',
  'rest.privacy.threats': 'with tellThreats a contact with a listed destination is told with feed and destination',
  'rest.privacy.chosen': 'coverage lists the rules as chosen, and no share or gap changes',
  'rest.privacy.understood':
    'a hub does not start with a privacy rule that it does not understand, and says where it is',
});
