// Devices left, organisations and hosts right, curves between them by connections: always the same for the same summary.
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { number } from '../text/format.ts';
import { words } from '../text/map/words.ts';
import { Figure, FigureTable, mostRows, Pick } from './figure.tsx';
import { type End, pickLargest, type Summary, sumCounts, toDevices, toTargets } from './flows.ts';
import { Legend } from './legend.tsx';
import { Mark } from './mark.tsx';
import { hrefSelecting, type LogFilter, logHref } from './selection.ts';
import { useWidth } from './width.ts';

const most = { devices: 12, targets: 16 };
/** Height of a row of a lane; style/map.css has the same. */
const rowHeight = 48;

interface Lane {
  ends: readonly End[];
  /** Everything that is not in `ends`; `count` 0: nothing. */
  rest: { count: number; name: string; door: LogFilter };
}

export function Lanes({ summary }: { summary: Summary }) {
  const w = words.value;
  const all = toDevices(summary);
  const devices = pickLargest(all, most.devices);
  const otherDevices = summary.uniqueDevices - devices.length;
  const targets = pickLargest(toTargets(summary), most.targets);
  const otherTargets = summary.uniqueTargets - targets.length;
  const left: Lane = {
    ends: devices,
    rest: {
      count: summary.total - sumCounts(devices),
      name: w.otherDevices(otherDevices, number(otherDevices)),
      door: { notDevices: devices.map(({ key }) => key) },
    },
  };
  const right: Lane = {
    ends: targets,
    rest: {
      count: summary.total - sumCounts(targets),
      name: w.otherTargets(otherTargets, number(otherTargets)),
      door: { notTargets: targets.map(({ key }) => key) },
    },
  };
  return (
    <>
      <Picture summary={summary} left={left} right={right} />
      <Edges summary={summary} names={new Map(all.map((one) => [one.key, one]))} />
    </>
  );
}

/** The lanes and the curves between them. Pointing draws this part again, and not the table. */
function Picture({ summary, left, right }: { summary: Summary; left: Lane; right: Lane }) {
  const [pointed, setPointed] = useState('');
  return (
    <section class="card lanes" aria-label={words.value.lanes}>
      <Ends lane={left} kind="device" point={setPointed} />
      <Curves summary={summary} left={left} right={right} pointed={pointed} />
      <Ends lane={right} kind="target" point={setPointed} />
      <Legend kinds={['danger', 'warn']} />
    </section>
  );
}

interface EndsProps {
  lane: Lane;
  kind: 'device' | 'target';
  /** Called with the key of the hovered or focused end, or '' for none: its curves are highlighted. */
  point: (key: string) => void;
}

function Ends({ lane: { ends, rest }, kind, point }: EndsProps) {
  return (
    <ul class={`lane ${kind}`} aria-label={words.value[kind]}>
      {ends.map(({ key, name, more, count, level }) => (
        <li
          key={key}
          class={level}
          onMouseEnter={() => point(key)}
          onMouseLeave={() => point('')}
          onFocusIn={() => point(key)}
          onFocusOut={() => point('')}
        >
          <Pick name={name} more={more} to={hrefSelecting(kind, key)} />
          <span class="lane-figure">
            {level === 'safe' ? null : <Icon name={level} />}
            <Figure count={count} to={logHref({ [kind]: key })} />
          </span>
        </li>
      ))}
      {rest.count > 0 ? (
        <li class="rest">
          <span class="map-name">{rest.name}</span>
          <span class="lane-figure">
            <Figure count={rest.count} to={logHref(rest.door)} />
          </span>
        </li>
      ) : null}
    </ul>
  );
}

interface Curve {
  /** Keys of its ends. */
  ends: readonly (string | undefined)[];
  from: number;
  to: number;
  count: number;
  level: End['level'];
}

/** Curves between the ends shown, and from each end to the rest of the other lane. */
function buildCurves({ byEdge }: Summary, left: Lane, right: Lane): Curve[] {
  const rowsByKey = ({ ends }: Lane) => new Map(ends.map(({ key }, row) => [key, row]));
  const deviceRows = rowsByKey(left);
  const targetRows = rowsByKey(right);
  const shown = byEdge.flatMap(({ src, key, count, level }): Curve[] => {
    const from = deviceRows.get(src);
    const to = targetRows.get(key);
    return from === undefined || to === undefined ? [] : [{ ends: [src, key], from, to, count, level }];
  });
  const rest = (end: 'from' | 'to', row: number, all: number) =>
    all - sumCounts(shown.filter((curve) => curve[end] === row));
  return [
    ...left.ends.map(({ key, count }, row): Curve => {
      return { ends: [key], from: row, to: right.ends.length, count: rest('from', row, count), level: 'safe' };
    }),
    ...right.ends.map(({ key, count }, row): Curve => {
      return { ends: [key], from: left.ends.length, to: row, count: rest('to', row, count), level: 'safe' };
    }),
    // Listed ones are drawn last, on top.
    ...shown.filter(({ level }) => level === 'safe'),
    ...shown.filter(({ level }) => level !== 'safe'),
  ].filter(({ count }) => count > 0);
}

function Curves({ summary, left, right, pointed }: { summary: Summary; left: Lane; right: Lane; pointed: string }) {
  const w = words.value;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const rowsOf = ({ ends, rest }: Lane) => ends.length + (rest.count > 0 ? 1 : 0);
  const height = Math.max(rowsOf(left), rowsOf(right)) * rowHeight;
  const curves = buildCurves(summary, left, right);
  const heaviest = Math.max(1, ...curves.map(({ count }) => count));
  const middleOf = (lane: Lane, row: number) => (height - rowsOf(lane) * rowHeight) / 2 + (row + 0.5) * rowHeight;
  return (
    <div ref={box} class="lane-curves">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={w.lanesLabel(number(left.ends.length), number(right.ends.length))}
      >
        {curves.map(({ ends, from, to, count, level }) => {
          const y1 = middleOf(left, from);
          const y2 = middleOf(right, to);
          const faint = pointed === '' || ends.includes(pointed) ? '' : ' faint';
          const isRest = from === left.ends.length || to === right.ends.length;
          return (
            <g key={`${from} ${to}`} class={`${isRest ? 'rest' : level}${faint}`}>
              <path
                class="curve"
                d={`M0 ${y1}C${width / 2} ${y1} ${width / 2} ${y2} ${width} ${y2}`}
                stroke-width={1 + 11 * Math.sqrt(count / heaviest)}
              />
              {level === 'safe' ? null : <Mark level={level} x={width / 2} y={(y1 + y2) / 2} />}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function Edges({ summary, names }: { summary: Summary; names: ReadonlyMap<string, End> }) {
  const w = words.value;
  const rows = summary.byEdge.slice(0, mostRows).map(({ src, key, count, level, lastSeen }) => ({
    key: `${src} ${key}`,
    names: [
      <Pick
        key="d"
        name={names.get(src)?.name ?? src}
        more={names.get(src)?.more ?? ''}
        to={hrefSelecting('device', src)}
      />,
      <Pick key="t" name={key} to={hrefSelecting('target', key)} />,
    ],
    count,
    level,
    lastSeen,
    to: logHref({ device: src, target: key }),
  }));
  return (
    <FigureTable
      caption={w.tableOf.lanes}
      columns={[w.device, w.target]}
      rows={rows}
      all={summary.byEdge.length}
      isUnjudged={summary.judged === 'none'}
    />
  );
}
