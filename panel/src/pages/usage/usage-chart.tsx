import type { Schemas } from '../../api/client.ts';
import classes from './usage.module.css';

/** Bars that are shown; the table has all. */
const SHOWN = 12;

/** The phones that ran most, each with a bar as long as its minutes. The table below lists the same numbers for screen readers. */
export function UsageChart({ devices }: { devices: readonly Schemas['DeviceUsage'][] }) {
  const most = devices.toSorted((a, b) => b.minutes - a.minutes).slice(0, SHOWN);
  const longest = Math.max(1, ...most.map(({ minutes }) => minutes));
  return (
    <figure className={classes.chart} aria-label={`Minutes of the ${most.length} phones that ran most`}>
      <ol className={classes.bars}>
        {most.map(({ device, minutes }, index) => (
          <li key={`${device}-${index}`} className={classes.bar}>
            <span className={classes.name}>{device}</span>
            <svg className={classes.track} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden>
              <rect className={classes.fill} x="0" y="0" height="10" width={(minutes / longest) * 100} />
            </svg>
            <span className={classes.value}>{minutes} min</span>
          </li>
        ))}
      </ol>
      {devices.length > most.length && (
        <figcaption className={classes.caption}>{devices.length - most.length} more in the table.</figcaption>
      )}
    </figure>
  );
}
