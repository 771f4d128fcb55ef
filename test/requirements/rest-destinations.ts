// REST API: destinations of events beside the chat workspace (docs/telling.md).
import { type Requirement, stated } from './requirement.ts';

export const restDestinations: readonly Requirement[] = stated(1, '4.6 Detection notifications and log', {
  'rest.destinations.outage':
    'each destination gets every event at least once and in order through an outage of an hour and a restart, shown as delivered once',
  'rest.destinations.tried':
    'a destination is kept after it took a test event; what it refuses is answered with its words',
  'rest.destinations.secrets': 'secrets are sealed, never shown, and sent to no other address than before',
  'rest.destinations.choice': 'a destination is told the kinds, facts and resolutions that were chosen',
  'rest.destinations.muted': 'a muted or expected alert is told to no destination',
  'rest.destinations.quiet':
    'events wait in quiet hours and until the end of a mute, in order; dangerous ones as chosen',
  'rest.destinations.routers': 'a router that cannot be reached is told once, and all of them at once as one event',
  'rest.destinations.real-outage':
    'mosquitto and an SMTP server are told everything in order after an outage of an hour and a restart of the hub',
});
