import type { LiveScreenSize } from '../../../live/live-connection.ts';
import classes from './elements.module.css';
import { useSeenElements } from './seen-elements.tsx';

/** Boxes around the elements on the screen. */
export function ElementOverlay({ screen }: { screen: LiveScreenSize }) {
  const { observation, marked } = useSeenElements();
  if (observation === undefined) return null;
  return (
    <svg className={classes.overlay} viewBox={`0 0 ${screen.width} ${screen.height}`} aria-hidden="true">
      {observation.elements?.map(({ id, bounds }) => (
        <rect key={id} {...bounds} rx={6} data-marked={id !== undefined && id === marked} />
      ))}
    </svg>
  );
}
