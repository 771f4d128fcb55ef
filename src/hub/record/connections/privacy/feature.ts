// The feature of privacy rules: whose destinations are not kept, what is counted instead, and the erasure.
import { mostPrivacyRules, type PrivacyRule, toRuleValue } from '#contract/privacy.ts';
import { AppError } from '#kernel/errors.ts';
import { createId } from '#kernel/text/secret.ts';
import type { Auth } from '../../../base/auth/auth.ts';
import { nameActor } from '../../../base/auth/principal.ts';
import type { Base, Feature, HubHandlers } from '../../../base/feature.ts';
import { readUnkept } from './counts.ts';
import { createEraseJobs, type EraseJobs } from './erase-job.ts';
import type { Marks } from './marks.ts';

interface Peers {
  auth: Pick<Auth, 'audit' | 'toActor'>;
  marks: Marks;
  /** Number of backups in the folder of this hub. */
  countBackups: () => number;
}

export function startPrivacyFeature(base: Base, peers: Peers): Feature<Pick<HubHandlers, 'privacy'>> {
  const jobs = createEraseJobs({ ...base, ...peers });
  return {
    handlers: { privacy: createPrivacyHandlers(base, { ...peers, jobs }) },
    settled: jobs.settled,
    [Symbol.asyncDispose]: jobs[Symbol.asyncDispose],
  };
}

function createPrivacyHandlers(
  { db, clock, settings }: Base,
  { auth, marks, jobs }: Peers & { jobs: EraseJobs },
): HubHandlers['privacy'] {
  const { audit, toActor } = auth;
  const readRules = () => settings.current().privacy.rules;
  const answer = () => ({
    rules: [...readRules()],
    devices: [...marks.findCovered()].map(([deviceId, ruleIds]) => ({ deviceId, ruleIds })),
  });
  const saveRules = (change: (rules: readonly PrivacyRule[]) => PrivacyRule[]) =>
    settings.update((all) => ({ ...all, privacy: { ...all.privacy, rules: change(all.privacy.rules) } }));
  const requireRule = (id: string): PrivacyRule => {
    const rule = readRules().find((one) => one.id === id);
    if (!rule) {
      throw new AppError('not_found', 'there is no privacy rule with this id; GET /api/privacy/rules lists them');
    }
    return rule;
  };
  return {
    rules: answer,
    async add({ body, principal, request }) {
      const { kind, tellThreats } = body;
      const value = toRuleValue(kind, body.value) ?? body.value;
      const same = readRules().find((rule) => rule.kind === kind && rule.value === value);
      const made = same ?? { id: createId(), since: clock.now(), by: nameActor(principal) };
      saveRules((rules) => {
        if (!same && rules.length >= mostPrivacyRules) {
          throw new AppError('rule_limit', `there are ${mostPrivacyRules} privacy rules: remove one, or use a range`);
        }
        return [...rules.filter((rule) => rule !== same), { ...made, kind, value, tellThreats }];
      });
      const metadata = { rule: made.id, kind, tellThreats };
      await audit.record({ type: 'privacy_changed', outcome: 'success', request, by: toActor(principal), metadata });
      return { success: true, id: made.id, ...answer() };
    },
    async remove({ params, principal, request }) {
      const { id: rule } = requireRule(params.id);
      saveRules((rules) => rules.filter(({ id }) => id !== rule));
      const metadata = { rule, removed: true };
      await audit.record({ type: 'privacy_changed', outcome: 'success', request, by: toActor(principal), metadata });
      return { success: true, ...answer() };
    },
    counts: ({ query }) => ({ counts: readUnkept(db, query), serverTime: clock.now() }),
    async erase({ body, principal, request }) {
      const rule = requireRule(body.ruleId);
      const job = jobs.start(rule, body.before ?? Number.MAX_SAFE_INTEGER);
      const metadata = { rule: rule.id, kind: rule.kind, before: body.before ?? null };
      await audit.record({ type: 'privacy_erased', outcome: 'success', request, by: toActor(principal), metadata });
      return { job };
    },
    eraseJob: () => ({ job: jobs.latest() }),
  };
}
