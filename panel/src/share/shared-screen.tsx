import { useEffect, useState } from 'react';
import { LiveScreen } from '../live/live-screen.tsx';
import { phoneKeys } from '../live/phone-keys.ts';
import { useLive } from '../live/use-live.ts';
import type { WatchedPhone } from '../live/watched-phone.ts';
import screenClasses from '../live/live.module.css';
import { ActionBar } from '../parts/action-bar.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeLeft } from '../parts/time-left.tsx';
import { setPageTitle } from '../parts/window-title.ts';
import { Asked } from './asked.tsx';
import type { OwnShare, SharedPhone } from './own-share.ts';
import classes from './share.module.css';

interface Props {
  token: string;
  shared: SharedPhone;
  /** Is called when the share may have ended, or the phone may be in another state, so that the share must be read again. */
  onDoubt: () => void;
  /** Is called when the person has given the phone back. */
  onGivenBack: () => void;
}

/**
 * The phone's live screen over the whole window. Above it are its name, what one may do, and for how long. Where the phone is handed over,
 * what is asked is above the screen or, in a wide window, beside it.
 */
export function SharedScreen({ token, shared: { share, expiresMs }, onDoubt, onGivenBack }: Props) {
  const { device, state, access, handover } = share;
  const [phone, setPhone] = useState<WatchedPhone>();
  useEffect(() => {
    setPageTitle(`${device} · Live screen`);
  }, [device]);
  return (
    <div className={classes.page} data-handover={handover !== undefined}>
      <header className={classes.head}>
        <h1 className={classes.name}>{device}</h1>
        {access === 'control' ? (
          <StatusBadge state={access} tone="good">
            You can touch
          </StatusBadge>
        ) : (
          <StatusBadge state={access}>View only</StatusBadge>
        )}
        <TimeLeft endMs={expiresMs} onOver={onDoubt} className={classes.left} />
      </header>
      <main className={classes.main}>
        {handover !== undefined && (
          <Asked
            key={handover.id}
            token={token}
            handover={handover}
            phone={phone}
            onGivenBack={onGivenBack}
            onDoubt={onDoubt}
          />
        )}
        <div className={classes.stage}>
          {state === 'running' ? (
            <Watched key={device} token={token} share={share} onDoubt={onDoubt} onPhone={setPhone} />
          ) : (
            <div className={screenClasses.frame} data-frame>
              <div className={screenClasses.offScreen} role="status">
                {device} is not running now. Its screen appears here when it runs.
              </div>
            </div>
          )}
        </div>
      </main>
    </div>
  );
}

interface WatchedProps {
  token: string;
  share: OwnShare;
  onDoubt: () => void;
  /** Is called with the live screen, and with undefined when there is none any more. */
  onPhone: (phone: WatchedPhone | undefined) => void;
}

function Watched({ token, share: { device, access }, onDoubt, onPhone }: WatchedProps) {
  const live = useLive(device, token);
  const { state, hasFrame, error, phone } = live;
  const isWatchOnly = access === 'read';
  const keys = phoneKeys(device, phone);
  useEffect(() => {
    onPhone(phone);
    return () => onPhone(undefined);
  }, [phone, onPhone]);
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
