import { SegmentedControl, Switch } from '@mantine/core';
import { useElementSize, useFullscreenElement, useViewportSize } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import type { Device } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import { FullScreenButton } from '../../live/full-screen-button.tsx';
import type { WatchedPhone } from '../../live/watched-phone.ts';
import { Card } from '../../parts/card.tsx';
import { DeviceChoice } from '../../parts/device-choice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import classes from './mirror.module.css';
import { MirroredScreen } from './mirrored-screen.tsx';
import { COMPACT_PX, screenHeightPx, type ScreenSize, SIZES } from './screen-size.ts';

/** Screens that are shown at once at the most: each is a stream of pictures. */
const SCREENS_MOST = 12;

/** Above the screens in the window: the top of the page, its title, and the bar; in full screen the bar alone. */
const ABOVE_PX = 230;
const BAR_PX = 70;

const isRunning = ({ state }: Device): boolean => state === 'running';

/** Several phones side by side. While mirroring is on, input on one of them goes to all. */
export default function MirrorPage() {
  const { data: devices = [] } = useQuery(devicesQuery);
  const [chosen, setChosen] = useState<string[]>([]);
  const [isMirrored, setIsMirrored] = useState(true);
  const [phones] = useState(() => new Set<WatchedPhone>());
  const [size, setSize] = useState<ScreenSize>('fit');
  const { ref: full, toggle, fullscreen } = useFullscreenElement<HTMLDivElement>();
  const { ref: list, width } = useElementSize<HTMLUListElement>();
  const window = useViewportSize();
  const running = devices.filter((device) => isRunning(device) && chosen.includes(device.name));
  const shown = running.slice(0, SCREENS_MOST);
  const ratio = Math.max(...shown.map(({ screen }) => screen.width / screen.height));
  const height = window.height - (fullscreen ? BAR_PX : ABOVE_PX);
  const screenPx = screenHeightPx(size, { count: shown.length, ratio }, { width, height });
  return (
    <div className={classes.page}>
      <PageHeader title="Side by side" description="Use several phones at once: input on one goes to all." />
      <Card title="Running phones">
        <DeviceChoice
          value={chosen}
          onChange={setChosen}
          isOffered={(device) => isRunning(device) || chosen.includes(device.name)}
          none="No phone is running. Start those that you want to see here."
        />
        {running.length < chosen.length && <p role="status">Some of them do not run now; they come back here.</p>}
        {running.length > SCREENS_MOST && <p role="status">The first {SCREENS_MOST} are shown.</p>}
        <Switch
          mt="md"
          label="Mirror input to all of them"
          checked={isMirrored}
          onChange={({ currentTarget }) => setIsMirrored(currentTarget.checked)}
        />
      </Card>
      <div ref={full} className={classes.screens} data-full={fullscreen}>
        {shown.length > 0 && (
          <div className={classes.bar} role="toolbar" aria-label="Size of the screens">
            <SegmentedControl aria-label="Size" data={[...SIZES]} value={size} onChange={setSize} size="xs" />
            <FullScreenButton toggle={toggle} fullscreen={fullscreen} />
          </div>
        )}
        <ul
          ref={list}
          className={classes.grid}
          data-compact={screenPx < COMPACT_PX}
          style={{ '--screen-height': `${screenPx}px` } as CSSProperties}
        >
          {shown.map(({ name }) => (
            <li key={name}>
              <MirroredScreen name={name} phones={phones} isMirrored={isMirrored} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
