// The details of one cause: threat list, regularity, device, what to do, and its detections.

import { AlertTitle } from '../parts/alert-title.tsx';
import { alertKind, alertLogHref } from '../parts/alert-words.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Link } from '../parts/link.tsx';
import { Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import type { Cause, Detection } from '../state/causes.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefWith, navigate } from '../state/url.ts';
import { text } from '../text/text.ts';
import { BeaconEvidence } from './beacon-evidence.tsx';
import { NewDevice } from './new-device.tsx';
import { ThreatEvidence } from './threat-evidence.tsx';
import { WhatToDo } from './what-to-do.tsx';

/** `cause` null: the URL names a detection that is not shown. */
export function AlertDrawer({ cause }: { cause: Cause | null }) {
  const t = text.value.alerts;
  return (
    <Drawer label={t.drawer} close={() => navigate(hrefWith({ open: null }), 'replace')}>
      {cause === null ? <Note title={t.notHere} help={t.notHereHelp} /> : <Evidence cause={cause} />}
    </Drawer>
  );
}

function Evidence({ cause: { mainDetection, all } }: { cause: Cause }) {
  const t = text.value.alerts;
  const listed = all.find(({ dst, threatSource }) => dst !== null && threatSource !== null);
  const beacon = all.find(({ type }) => type === 'beacon');
  return (
    <>
      <h2>
        <AlertTitle detection={mainDetection} />
      </h2>
      {listed ? <ThreatEvidence detection={listed} /> : null}
      {beacon ? <BeaconEvidence detection={beacon} /> : null}
      {mainDetection.type === 'new_device' ? <NewDevice detection={mainDetection} /> : null}
      <WhatToDo detection={mainDetection} isListed={listed !== undefined} />
      <p class="actions">
        <Link class="button main" to={alertLogHref(mainDetection, rangeParameters.value)}>
          {t.inLog}
        </Link>
        {mainDetection.dst === null ? null : (
          <Link class="button" to={alertLogHref({ ...mainDetection, dst: null }, rangeParameters.value)}>
            {text.value.detail.ofDevice}
          </Link>
        )}
      </p>
      <h3>{t.entries}</h3>
      <ul class="rows">
        {all.map((one) => (
          <Entry key={one.id} detection={one} />
        ))}
      </ul>
    </>
  );
}

function Entry({ detection: { type, dport, proto, chatSent, detectedAt } }: { detection: Detection }) {
  const t = text.value.alerts;
  return (
    <li>
      <span>
        {alertKind(type)} {dport === null ? null : `${proto} ${dport}`}
        <small>{chatSent === 1 ? t.messageSent : t.messageNotSent}</small>
      </span>
      <Time at={detectedAt} />
    </li>
  );
}
