import { type ReactNode, useEffect, useState } from 'react';
import classes from './live.module.css';
import type { Live } from './use-live.ts';
import { decodesVideo } from './video-player.ts';

const NAMES = { h264: 'Live video (H.264)', jpeg: 'Live pictures (JPEG)' } as const;

/** Shows the form of the live screen. For pictures it shows how to get video, which halves the time from a touch to its picture. */
export function LiveFormat({ live: { format } }: { live: Live }) {
  return (
    <p className={classes.format} data-format={format}>
      {format !== undefined && NAMES[format]}
      {format === 'jpeg' && <WayToVideo />}
    </p>
  );
}

function WayToVideo(): ReactNode {
  const [decodes, setDecodes] = useState<boolean>();
  useEffect(() => {
    void decodesVideo().then(setDecodes);
  }, []);
  if (decodes === undefined) return null;
  if (!decodes) return ' · video needs https in this browser';
  return (
    <span title="The operator of the service runs this once, and starts the service again. A touch is then seen in half the time.">
      {' · '}for video: <code>npm run fetch-scrcpy</code>
    </span>
  );
}
