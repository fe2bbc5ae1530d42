import { useEffect, useState } from 'react';
import { LiveScreen } from '../live/live-screen.tsx';
import { phoneKeys } from '../live/phone-keys.ts';
import { useLive } from '../live/use-live.ts';
import screenClasses from '../live/live.module.css';
import { ActionBar } from '../parts/action-bar.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { duration } from '../parts/time.tsx';
import type { OwnShare, SharedPhone } from './own-share.ts';
import classes from './share.module.css';

interface Props {
  token: string;
  shared: SharedPhone;
  /** Is called when the share may have ended, or the phone may be in another state, so that the share must be read again. */
  onDoubt: () => void;
}

/** The phone's live screen over the whole window. Above it are its name, what one may do, and for how long. */
export function SharedScreen({ token, shared: { share, expiresMs }, onDoubt }: Props) {
  const { device, state, access } = share;
  useEffect(() => {
    document.title = `${device} · Live screen`;
  }, [device]);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.name}>{device}</h1>
        {access === 'control' ? (
          <StatusBadge state={access} tone="good">
            You can touch
          </StatusBadge>
        ) : (
          <StatusBadge state={access}>View only</StatusBadge>
        )}
        <TimeLeft expiresMs={expiresMs} onOver={onDoubt} />
      </header>
      <main className={classes.stage}>
        {state === 'running' ? (
          <Watched key={device} token={token} share={share} onDoubt={onDoubt} />
        ) : (
          <div className={screenClasses.frame} data-frame>
            <div className={screenClasses.offScreen} role="status">
              {device} is not running now. Its screen appears here when it runs.
            </div>
          </div>
        )}
      </main>
    </div>
  );
}

function Watched({
  token,
  share: { device, access },
  onDoubt,
}: {
  token: string;
  share: OwnShare;
  onDoubt: () => void;
}) {
  const live = useLive(device, token);
  const { state, hasFrame, error } = live;
  const isWatchOnly = access === 'read';
  const keys = phoneKeys(device, live.phone);
  useEffect(() => {
    // A browser does not report to the page why a WebSocket is refused.
    if (state === 'closed') onDoubt();
  }, [state, onDoubt]);
  return (
    <>
      <LiveScreen name={device} live={live} isWatchOnly={isWatchOnly} />
      {!isWatchOnly && (
        <div className={classes.keys}>
          <ActionBar label="Buttons of the phone" actions={[...keys.navigation, keys.type, ...keys.side]} />
        </div>
      )}
      <p className={classes.note} role="status">
        {hasFrame ? error : state === 'closed' && 'If it stays so, too many people may be watching. It is tried again.'}
      </p>
    </>
  );
}

/** How often the time left is updated, ms. */
const TICK_MS = 1_000;

function TimeLeft({ expiresMs, onOver }: { expiresMs: number; onOver: () => void }) {
  const [now, setNow] = useState(() => Date.now());
  const leftS = Math.max(0, Math.ceil((expiresMs - now) / 1_000));
  const isOver = leftS === 0;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (isOver) onOver();
  }, [isOver, onOver]);
  return <span className={classes.left}>{isOver ? 'Time is over' : `${duration(leftS)} left`}</span>;
}
