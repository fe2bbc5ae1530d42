import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import type { Device } from '../../api/client.ts';
import { useRight } from '../../api/use-right.ts';
import { useFullScreen } from '../../live/full-screen.ts';
import { LiveFormat } from '../../live/live-format.tsx';
import { LiveScreen } from '../../live/live-screen.tsx';
import screenClasses from '../../live/live.module.css';
import { CopiedText, copyAction, usePhoneClipboard } from '../../live/phone-clipboard.tsx';
import { phoneKeys } from '../../live/phone-keys.ts';
import { type Live, useLive } from '../../live/use-live.ts';
import { useRotate } from '../../live/use-rotate.ts';
import { useScreenshot } from '../../live/use-screenshot.ts';
import { holdOf } from '../../parts/hold.ts';
import { useInPalette } from '../../parts/actions-in-view.ts';
import { ActionBar } from '../../parts/action-bar.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { keepShown } from '../../pictures/last-picture.ts';
import { ElementOverlay } from './elements/element-overlay.tsx';
import classes from './phone.module.css';
import { STATE_WORDS } from './state-words.ts';

/** The live screen with its buttons in one row below it. Most are in the command palette too. */
export function WatchedScreen({ device }: { device: Device }) {
  const { name, state } = device;
  const live = useLive(name);
  const isOn = state === 'running';
  const fullScreen = useFullScreen();
  const clipboard = usePhoneClipboard(name);
  const rotate = useRotate(name, live.screen);
  const screenshot = useScreenshot(name);
  const { navigation, type, side } = phoneKeys(name, live.phone);
  // While others hold the phone, and by people who may only look, it can be watched and nothing else.
  const mayChange = useRight('phones');
  const isHeld = !mayChange || holdOf(device) !== undefined;
  const ofPicture = isOn ? [screenshot.action, ...(isHeld ? [] : [rotate.action, copyAction(clipboard)])] : [];
  const keys = isHeld ? [] : [...navigation, type];
  useInPalette([...ofPicture, fullScreen.action, ...(isHeld ? [] : [type])]);
  useKeptPicture(device, live);
  return (
    <div className={classes.watched} data-full={fullScreen.isFull}>
      <LiveScreen name={name} live={live} isWatchOnly={isHeld} onCopy={clipboard.copy}>
        {isOn && live.screen !== undefined && <ElementOverlay screen={live.screen} />}
        {!isOn && (
          <div className={screenClasses.offScreen} role="status">
            {STATE_WORDS[state]}
          </div>
        )}
      </LiveScreen>
      <div className={classes.below}>
        <ActionBar
          label="Buttons of the phone"
          actions={[...keys, ...ofPicture, ...(isHeld ? [] : side), fullScreen.action]}
          keepsLast
        />
        <LiveFormat live={live} />
        <ErrorAlert error={rotate.error ?? screenshot.error ?? clipboard.error} />
        {isOn && live.hasFrame && live.error !== undefined && <ErrorAlert error={new Error(live.error)} />}
      </div>
      <CopiedText clipboard={clipboard} />
    </div>
  );
}

/** How often the picture is passed to `keepShown`, ms. That function decides whether it is time to keep one. */
const KEEP_MS = 1_000;

/**
 * Keeps the picture of the screen for the time in which the phone is off. It is kept at the first frame, from time to time, and when the
 * screen ends. A layout effect is used, as its cleanup runs before the canvas is removed. The cleanup of a passive effect would run later,
 * when nothing is left to keep.
 */
function useKeptPicture(device: Device, { phone, hasFrame }: Live): void {
  const client = useQueryClient();
  const { name, created_at } = device;
  useLayoutEffect(() => {
    if (!hasFrame) return;
    const pictured = { name, created_at };
    const keepNow = (isLast: boolean): void => void keepShown(client, pictured, { phone, isLast });
    keepNow(false);
    const timer = setInterval(() => keepNow(false), KEEP_MS);
    return () => {
      clearInterval(timer);
      keepNow(true);
    };
  }, [client, phone, hasFrame, name, created_at]);
}
