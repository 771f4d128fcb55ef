// REST API: alerts, as the wire contract has them (docs/reference/wire-contract/4-endpoints.md#alerts).
import { type Requirement, stated } from './requirement.ts';

export const restAlerts: readonly Requirement[] = stated(1, '4.9 Alerts', {
  'rest.alerts.one-per-cause': 'detections of one kind and destination are one alert with all its devices, told once',
  'rest.alerts.acknowledged-opens': 'an acknowledged alert opens again when another device, port or feed comes to it',
  'rest.alerts.muted': 'a muted alert is not told and needs no look until the mute ends by time',
  'rest.alerts.expected': 'what is expected of one device stays open for others; what is expected of all does not',
  'rest.alerts.undo': 'an action is taken back as long as no other one followed it',
  'rest.alerts.undo-reopen':
    'the undo of a reopen brings back the rules that it ended, as far as their time is not over',
  'rest.alerts.rule-history': 'what is done to a rule is in the history of its alert and is taken back like an action',
  'rest.alerts.contacts':
    'the detail of an alert names its programs and routers, and since when lists have its destination',
  'rest.alerts.undo-at-once':
    'actions on up to 200 alerts are taken back in one request; what another one followed stays',
  'rest.alerts.resolved-opens': 'a resolved alert opens at the next contact',
  'rest.alerts.unlisted': 'the hub closes an alert whose destinations no list names any more',
  'rest.alerts.at-once': 'an action names up to 200 alerts and changes all of them or none; pages learn of it',
  'rest.alerts.restore': 'a restore brings back states, history and rules of the backup',
  'rest.alerts.model': 'states, refusals and what is told follow from the steps, whatever their order',
  'rest.alerts.beacon': 'a beacon is dismissed while its alert is expected, whichever of both is said',
  'rest.alerts.upgrade': 'detections of an earlier schema become alerts: old ones resolved, dismissed beacons expected',
  'rest.alerts.tell-resolved': 'with tellResolved the workspace learns once that an alert it was told of is resolved',
  'rest.alerts.links':
    'the link of a message shows its alert without a login, changes nothing when opened, and acts once when pressed',
  'rest.alerts.link-forged': 'a link of a message that was changed, cut or signed by another hub is refused',
  'rest.destinations.presets':
    'webhooks are taken by ntfy, Gotify, Discord, Telegram, Pushover, Teams and Home Assistant',
  'rest.destinations.signed': 'the JSON of a webhook is signed with HMAC-SHA-256 over its id, time and body',
  'rest.destinations.email': 'e-mail by SMTP has TLS, a login, a stable Message-ID, and headers that no name can write',
  'rest.destinations.private': 'a private or loopback target is refused unless the operator allows it',
  'rest.telling.mqtt': 'an MQTT broker is told events, their state and the availability of the hub',
  'rest.telling.mqtt-outage': 'what an MQTT broker did not acknowledge is not delivered; the connection comes back',
  'rest.telling.mqtt-refused': 'an MQTT broker that refuses is named with its words and what to change',
  'rest.telling.mqtt-will': 'an MQTT broker says that the hub is gone when its process dies',
  'rest.telling.home-assistant': 'hub and upsget announce themselves as Home Assistant documents it',
});
