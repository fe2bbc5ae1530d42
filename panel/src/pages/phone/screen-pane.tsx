import { useFullscreenElement } from '@mantine/hooks';
import { useState } from 'react';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import type { Device } from '../../api/client.ts';
import { ElementOverlay } from './elements/element-overlay.tsx';
import { FullScreenButton } from '../../live/full-screen-button.tsx';
import { LiveFormat } from '../../live/live-format.tsx';
import { LiveScreen } from '../../live/live-screen.tsx';
import { CopyFromPhone, usePhoneClipboard } from '../../live/phone-clipboard.tsx';
import { PhoneKeys } from '../../live/phone-keys.tsx';
import { RotateButton } from '../../live/rotate-button.tsx';
import { ScreenshotButton } from '../../live/screenshot-button.tsx';
import { ratioOf } from '../../live/ratio.ts';
import { useLive } from '../../live/use-live.ts';
import screenClasses from '../../live/live.module.css';
import classes from './phone.module.css';

/** Texts in place of the screen of a phone that is not running. */
const OFF: Partial<Record<Device['state'], string>> = {
  creating: 'Creating…',
  stopped: 'This phone is off. Start it to see its screen.',
  starting: 'Booting…',
  stopping: 'Shutting down…',
  deleting: 'Deleting…',
  failed: 'This phone failed to start.',
};

/** The phone's screen: live while it runs. While a phone that was watched restarts, its last picture stays until the next. */
export function ScreenPane({ device }: { device: Device }) {
  const { state, screen, problem } = device;
  const isOn = state === 'running';
  const [wasOn, setWasOn] = useState(isOn);
  if (isOn && !wasOn) setWasOn(true);
  // Off for good, and no restart on its way: the next start is watched anew.
  if (!isOn && wasOn && (state === 'stopped' || state === 'failed') && device.job === undefined) setWasOn(false);
  return (
    <div className={classes.watch}>
      {wasOn ? (
        <Watched device={device} />
      ) : (
        <div className={screenClasses.frame} data-frame style={ratioOf(screen)}>
          <div className={screenClasses.offScreen} role="status">
            {problem?.message ?? OFF[state]}
          </div>
        </div>
      )}
    </div>
  );
}

function Watched({ device: { name, state } }: { device: Device }) {
  const live = useLive(name);
  const { ref, toggle, fullscreen } = useFullscreenElement<HTMLDivElement>();
  const isOn = state === 'running';
  const clipboard = usePhoneClipboard(name);
  return (
    <div ref={ref} className={classes.watched} data-full={fullscreen}>
      <LiveScreen name={name} live={live} onCopy={clipboard.copy}>
        {isOn && live.screen !== undefined && <ElementOverlay screen={live.screen} />}
        {!isOn && (
          <div className={screenClasses.offScreen} role="status">
            {OFF[state]}
          </div>
        )}
      </LiveScreen>
      <PhoneKeys name={name} live={live}>
        <RotateButton name={name} screen={live.screen} />
        {isOn && <CopyFromPhone clipboard={clipboard} />}
        {isOn && <ScreenshotButton name={name} />}
        <FullScreenButton toggle={toggle} fullscreen={fullscreen} />
      </PhoneKeys>
      <LiveFormat live={live} />
      <ErrorAlert error={clipboard.error} />
      {isOn && live.hasFrame && live.error !== undefined && <ErrorAlert error={new Error(live.error)} />}
    </div>
  );
}
