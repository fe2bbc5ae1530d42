import type { Device } from '../../api/client.ts';
import { OffCard } from './off-card.tsx';
import { PhoneCard } from './phone-card.tsx';
import classes from './phones.module.css';

/** Phones as cards. Phones that are on have their screens; below them are the phones that are off, which have little to show. */
export function PhoneCards({ devices, pollMs }: { devices: readonly Device[]; pollMs: number }) {
  const isOff = ({ state, job }: Device): boolean => (state === 'stopped' || state === 'failed') && job === undefined;
  const on = devices.filter((device) => !isOff(device));
  const off = devices.filter(isOff);
  return (
    <>
      {on.length > 0 && (
        <ul className={classes.grid} aria-label="Phones that are on">
          {on.map((device) => (
            <li key={device.name}>
              <PhoneCard device={device} pollMs={pollMs} />
            </li>
          ))}
        </ul>
      )}
      {off.length > 0 && (
        <>
          <p className={classes.heading}>Off · {off.length}</p>
          <ul className={classes.offGrid} aria-label="Phones that are off">
            {off.map((device) => (
              <li key={device.name}>
                <OffCard device={device} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
