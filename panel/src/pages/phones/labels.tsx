import type { Device } from '../../api/client.ts';
import { labelsOf } from './phone-filters.ts';
import classes from './phones.module.css';

/** The labels of a phone. Renders nothing where it has none. */
export function Labels({ device }: { device: Device }) {
  const labels = labelsOf(device);
  if (labels.length === 0) return null;
  return (
    <ul className={classes.labels} aria-label={`Labels of ${device.name}`}>
      {labels.map((label) => (
        <li key={label}>{label.replace(/:$/, '')}</li>
      ))}
    </ul>
  );
}
