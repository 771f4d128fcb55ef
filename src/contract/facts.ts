// Sentences of the hub as codes and values, for a page in another language. The same sentences stand beside them in English.
import { z } from 'zod';

export const factCodes = [
  'feed_off',
  'feed_empty',
  'feed_offline',
  'feed_key_missing',
  'feed_key_refused',
  'feed_failed',
  'feed_tried_again',
  'feed_unconfirmed',
  'list_missing',
  'list_in_use',
  'log_missing',
  'log_unreadable',
  'mesh_entries_dropped',
  'mesh_login_refused',
  'mesh_failed',
  'ai_disabled',
  'ai_offline',
  'ai_key_missing',
  'ai_region_missing',
  'ai_model_missing',
  'ai_consent_required',
  'automation_not_agreed',
  'chat_not_ready',
  'time_zone_unknown',
  'analyses_of_day_made',
  'public_url_missing',
  'proxy_not_named',
  'no_tls',
  'log_lost',
  'disk_unreadable',
  'disk_low',
  'disk_full',
  'backup_not_made',
  'backup_hook_failed',
  'backup_size_changed',
  'backup_pages_changed',
  'backup_unusable',
  'backup_unverified',
  'prune_changed',
  'prune_file_changed',
  'prune_cancelled',
  'prune_hub_stops',
  'prune_late',
  'prune_failed',
  'sink_offline',
  'sink_soon_removed',
  'sink_removed',
  'sink_refused',
  'pair_client_id',
  'pair_own_name',
  'pair_asked_name',
  'pair_new_mac',
  'pair_vendor',
  'pair_active_together',
  'clock_back',
  'clock_was_ahead',
  'reads_fail',
  'database_damaged',
  'database_set_aside',
  'backup_damaged',
  'backup_folder_missing',
  'file_exposed',
  'folder_exposed',
  'token_exposed',
  'variable_without_effect',
] as const;
export type FactCode = (typeof factCodes)[number];

const fact = z
  .object({
    code: z.enum(factCodes).describe('What the sentence says'),
    values: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe('The values in the sentence; detail: the reason in English, often of another program'),
  })
  .meta({ title: 'Fact' });
export type Fact = z.output<typeof fact>;

export const warningFacts = z.array(fact).describe('The sentences of warnings as codes and values, in their order');
/** The facts of a list of sentences, which is the member `of` beside it. */
export const sentenceFacts = (of: string) =>
  z
    .array(fact.nullable())
    .describe(`The sentences of ${of} as codes and values, in their order; null for one of an older version`);
export const messageFacts = z.array(fact).describe('The sentences of message as codes and values, in their order');
export const errorFacts = messageFacts.describe('The sentence of error as a code and values; empty without one');
