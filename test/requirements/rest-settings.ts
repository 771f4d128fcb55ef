// REST specification: status, configuration, notifications, beacons and the detection log.
import { type Requirement, stated } from './requirement.ts';

export const restSettings: readonly Requirement[] = [
  ...stated(1, '4 Configuration and notifications', {
    'rest.status.exists': 'GET /api/status answers',
    'rest.status.protected': 'GET /api/status is Protected',
    'rest.settings.all-protected': 'every route of configuration and notifications is Protected',
    'rest.settings.general': 'POST /api/config/general saves general settings',
    'rest.settings.retention-bytes':
      'retentionBytes removes the oldest days while the database occupies more; the newest 24 hours stay',
    'rest.status.retention': 'GET /api/status says bytes in use, bytes a day and when the limit will be reached',
    'rest.settings.datasources-read': 'GET /api/config/datasources reads the data sources',
    'rest.settings.datasources-write': 'POST /api/config/datasources saves the data sources',
  }),
  ...stated(1, '4 Configuration and notifications', {
    'rest.settings.manual-threat-flags': 'GET /api/config/manual-threat returns key-set flags, never key values',
    'rest.settings.manual-threat-write':
      'POST /api/config/manual-threat saves API keys, cache and per-provider cooldown',
    'rest.threat.manual-lookup': 'POST /api/threat/manual-lookup sends one public IP to the selected providers',
    'rest.threat.manual-lookup-explicit': 'the manual lookup runs only on explicit action',
  }),
  ...stated(1, '4 Configuration and notifications', {
    'rest.settings.chat-read': 'GET /api/config/chat reads the chat-workspace notification settings',
    'rest.settings.chat-write': 'POST /api/config/chat saves the chat-workspace notification settings',
    'rest.settings.detection-read': 'GET /api/config/detection-notifications reads its settings',
    'rest.settings.detection-write': 'POST /api/config/detection-notifications saves its settings',
    'rest.chat.test': 'POST /api/chat/test answers',
    'rest.chat.verify': 'POST /api/chat/verify answers',
    'rest.chat.lookup-user': 'POST /api/chat/lookup-user answers',
    'rest.beacons.list': 'GET /api/beacons answers with beacon candidates',
    'rest.beacons.config-read': 'GET /api/beacons/config reads its settings',
    'rest.beacons.config-write': 'POST /api/beacons/config saves its settings',
    'rest.beacons.preview':
      'POST /api/beacons/preview answers with what a hub with other settings would have told, and changes nothing',
    'rest.detection.preview':
      'POST /api/detections/preview answers with what a hub with other settings and rules would have told, and changes nothing',
  }),
  ...stated(1, '4 Configuration and notifications', {
    'rest.config-text.round-trip': 'the exported text, applied to an empty hub, is exported as the same text',
    'rest.config-text.whole':
      'a text with any mistake changes nothing, and all its mistakes are named by line and column',
    'rest.config-text.secrets':
      'no secret is in the text; a reference takes it from a private file, the environment or the hub',
    'rest.config-text.audited': 'the audit trail names a configuration that was applied while the hub was stopped',
  }),
  ...stated(1, '4 Configuration and notifications, 6', {
    'rest.beacons.dismiss': 'POST /api/beacons/:id/dismiss dismisses a beacon candidate',
    'rest.detection.log-read': 'GET /api/notification-log reads the detection log',
  }),
  ...stated(1, '6', {
    'rest.detection.log-threats': 'the detection log keeps threat hits',
    'rest.detection.log-beacons': 'the detection log keeps beacon candidates',
    'rest.detection.log-new-devices': 'the detection log keeps new-device alerts',
  }),
];
