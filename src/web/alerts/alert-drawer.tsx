// The details of one alert: state, actions, evidence, what to do, devices, history, rules, detections.

import { useEffect, useRef } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { AlertTitle } from '../parts/alert-title.tsx';
import { alertKind, alertLogHref, deviceLogHref } from '../parts/alert-words.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { showService } from '../parts/ports.ts';
import { PrintedAt } from '../parts/printed.tsx';
import { Time } from '../parts/time.tsx';
import { type Detection, useAlerts } from '../state/alerts.ts';
import { printPage } from '../state/printing.ts';
import { closeOver } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { asked } from './act.ts';
import { ActionButtons } from './action-buttons.tsx';
import { AlertContacts } from './alert-contacts.tsx';
import { AlertDevices } from './alert-devices.tsx';
import { AlertHistory } from './alert-history.tsx';
import { useAlertKeys } from './alert-keys.ts';
import { AlertState } from './alert-state.tsx';
import { BeaconEvidence } from './beacon-evidence.tsx';
import { NewDevice } from './new-device.tsx';
import { RulesOfAlert } from './rules-of-alert.tsx';
import { ThreatEvidence } from './threat-evidence.tsx';
import { WhatToDo } from './what-to-do.tsx';

type AlertDetail = Reply<'GET /api/alerts/:id'>;

/** `move` opens the next alert of the list, or the one before. */
export function AlertDrawer({ id, move }: { id: string; move: (step: 1 | -1) => void }) {
  const { value, error, reload } = useAlerts(id, (signal) => ask('GET /api/alerts/:id', { params: { id } }, signal));
  const t = words.value;
  const detail = value !== null && String(value.alert.id) === id ? value : null;
  const body = useRef<HTMLDivElement>(null);
  useAlertKeys({ isOn: true, targets: () => (detail ? [detail.alert] : []), move });
  // An action may remove the button that had the focus. The shortcuts of the drawer work only with the focus inside.
  useEffect(() => {
    if (document.activeElement === document.body && asked.value === null) {
      body.current?.closest('dialog')?.focus();
    }
  }, [value, asked.value]);
  const isGone = error !== null && [400, 404].includes(error.status);
  return (
    <Drawer label={text.value.alerts.drawer} close={() => closeOver('alert')}>
      <div ref={body} class="alert-details">
        {isGone ? <Note title={t.gone} help={t.goneHelp} /> : <Failure error={error} reload={reload} />}
        {detail === null && error === null ? <p class="empty">{text.value.loading}</p> : null}
        {detail === null || isGone ? null : <Details key={id} detail={detail} />}
      </div>
    </Drawer>
  );
}

function Details({ detail }: { detail: AlertDetail }) {
  const { alert, detections, history, rules } = detail;
  const t = text.value.alerts;
  const { lead, kind } = alert;
  const listed = detections.find(({ dst, threatSource }) => dst !== null && threatSource !== null);
  const heading = useRef<HTMLHeadingElement>(null);
  // With each alert that the keys open, a screen reader says which.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        <AlertTitle alert={alert} hasLink />
      </h2>
      <PrintedAt />
      <AlertState alert={alert} />
      <ActionButtons alerts={[alert]} />
      {listed ? <ThreatEvidence detection={listed} /> : null}
      {kind === 'beacon' ? <BeaconEvidence detection={lead} /> : null}
      {kind === 'new_device' ? <NewDevice detection={lead} /> : null}
      <WhatToDo alert={alert} listed={listed?.dst ?? null} />
      <p class="actions">
        <Link class="button main" to={alertLogHref(alert)}>
          {t.inLog}
        </Link>
        {alert.target === null || alert.deviceCount > 1 ? null : (
          <Link class="button" to={deviceLogHref(lead.src)}>
            {text.value.detail.ofDevice}
          </Link>
        )}
        <button type="button" onClick={printPage}>
          {text.value.print}
        </button>
      </p>
      <AlertContacts detail={detail} />
      <AlertDevices alert={alert} />
      <AlertHistory alert={alert} history={history} />
      <RulesOfAlert rules={rules} />
      <Detections detections={detections} />
    </>
  );
}

function Detections({ detections }: { detections: readonly Detection[] }) {
  const t = text.value.alerts;
  return (
    <details>
      <summary>{`${t.entries} (${number(detections.length)})`}</summary>
      <ul class="rows">
        {detections.map(({ id, type, proto, dport, chatSent, detectedAt }) => (
          <li key={id}>
            <span>
              {alertKind(type)} {showService(proto, dport)}
              <small>{chatSent === 1 ? t.messageSent : t.messageNotSent}</small>
            </span>
            <Time at={detectedAt} />
          </li>
        ))}
      </ul>
    </details>
  );
}
