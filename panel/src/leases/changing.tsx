import type { ReactNode } from 'react';
import type { Device } from '../api/client.ts';
import { useRight } from '../api/use-right.ts';
import forms from '../parts/forms.module.css';
import { holdOf } from '../parts/hold.ts';
import classes from './leases.module.css';

/**
 * A part of a phone's page that changes the phone. While a lease or a pool holds the phone, all of its fields and buttons are disabled, with
 * the reason as the title. People who may only look do not see it.
 */
export function Changing({ device, children }: { device: Device; children: ReactNode }) {
  const hold = holdOf(device);
  if (!useRight('phones')) return null;
  return (
    <fieldset
      className={`${classes.changing} ${forms.fields}`}
      data-flat
      disabled={hold !== undefined}
      title={hold}
      aria-describedby={hold === undefined ? undefined : HOLD_ID}
    >
      {children}
    </fieldset>
  );
}

/** The id of the text that says who holds the phone. */
export const HOLD_ID = 'hold';
