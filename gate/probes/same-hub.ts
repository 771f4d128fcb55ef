// Checks that the endpoint uses the configured hub: it lists the hub's devices, and the hub's audit has its calls.

import { parseJson } from '#kernel/text/json.ts';
import { type Check, fail, pass, passUnless } from '../check.ts';
import { toMembers } from '../json.ts';
import { callTool } from '../mcp-messages.ts';
import type { Answer } from '../target.ts';
import { getRequestId } from './audit-store.ts';
import type { ProbeContext } from './context.ts';
import { askHub, parseInstant } from './hub.ts';
import { findStatusFault } from './status.ts';

const needs = ['hub.ready', 'scope.read'];
const remedy =
  'set MONITOR_URL of the MCP server and MCP_GATE_MONITOR_URL to the same hub: ' +
  'the endpoint now uses another, such as a test hub or a copy';

/** Epoch milliseconds; NaN for an invalid time. */
interface SeenTimes {
  firstSeen: number;
  lastSeen: number;
}

const answers: Check<ProbeContext> = {
  id: 'hub.answers',
  asks: 'get_devices of the endpoint lists the devices of this hub with their present times',
  category: 'localCollection',
  needs,
  remedy,
  async judge(context) {
    const before = await fetchDevices(context);
    const answer = await context.mcp('hub-read', {
      ...callTool('get_devices', { include_archived: false }),
      token: context.config.MCP_GATE_READ_TOKEN,
    });
    const after = await fetchDevices(context);
    if (before === null || after === null) {
      return fail('the hub does not list its devices');
    }
    const listed = toDevices(parseToolResult(answer));
    const wrong = [...listed].filter(([id, device]) => !matchesHub(device, before.get(id), after.get(id)));
    const missing = [...before.keys()].filter((id) => after.has(id) && !listed.has(id));
    return passUnless([
      ...findStatusFault(answer, 200),
      ...(wrong.length === 0
        ? []
        : [`${wrong.length} of ${listed.size} devices are unknown to the hub or differ there`]),
      ...(missing.length === 0 ? [] : [`${missing.length} of ${before.size} devices of the hub are not listed`]),
    ]);
  },
};

const requests: Check<ProbeContext> = {
  id: 'hub.requests',
  asks: 'a call of the endpoint is in the audit of this hub, under its request id',
  category: 'localCollection',
  needs,
  remedy: `${remedy}; or let any proxy between endpoint and hub pass X-Request-Id unchanged`,
  async judge(context) {
    const answer = await context.mcp('hub-audit', {
      ...callTool('get_devices', { include_archived: true }),
      token: context.config.MCP_GATE_READ_TOKEN,
    });
    const path = `api/auth/audit-events?requestId=${encodeURIComponent(getRequestId(answer))}`;
    const { status, json } = await askHub(context, path);
    if (status !== 200) {
      return fail(`the hub answers ${status}`);
    }
    const { events } = toMembers(json);
    return Array.isArray(events) && events.length > 0 ? pass : fail('the hub knows of no such request');
  },
};

async function fetchDevices(context: ProbeContext): Promise<Map<string, SeenTimes> | null> {
  const { status, json } = await askHub(context, 'api/devices?includeArchived=0');
  return status === 200 ? toDevices(toMembers(json)) : null;
}

/** Returns the structured content of a tool result, else its first text parsed as JSON. */
function parseToolResult({ json }: Answer): Readonly<Record<string, unknown>> {
  const { structuredContent, content } = toMembers(toMembers(json).result);
  const [first] = Array.isArray(content) ? content : [];
  return toMembers(structuredContent ?? parseJson(String(toMembers(first).text)));
}

function toDevices({ devices }: Readonly<Record<string, unknown>>): Map<string, SeenTimes> {
  const list = Array.isArray(devices) ? devices.map(toMembers) : [];
  return new Map(
    list.map(({ deviceId, firstSeen, lastSeen }) => [
      String(deviceId),
      { firstSeen: parseInstant(firstSeen), lastSeen: parseInstant(lastSeen) },
    ]),
  );
}

/** True when the hub has the device with these times. It may come, go or be seen between `before` and `after`. */
function matchesHub({ firstSeen, lastSeen }: SeenTimes, before?: SeenTimes, after?: SeenTimes): boolean {
  const known = before ?? after;
  return (
    known !== undefined &&
    firstSeen === known.firstSeen &&
    lastSeen >= (before?.lastSeen ?? lastSeen) &&
    lastSeen <= (after?.lastSeen ?? lastSeen)
  );
}

export const sameHubChecks = [answers, requests] as const;
