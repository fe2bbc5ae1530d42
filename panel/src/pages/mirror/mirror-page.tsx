import { ActionIcon, Button, SegmentedControl, Switch, Tooltip } from '@mantine/core';
import { useElementSize, useViewportSize } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import { type CSSProperties, useState } from 'react';
import { Link } from 'wouter';
import type { Device } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import { useRight } from '../../api/use-right.ts';
import { useFullScreen } from '../../live/full-screen.ts';
import type { WatchedPhone } from '../../live/watched-phone.ts';
import { Card } from '../../parts/card.tsx';
import { DeviceChoice } from '../../parts/device-choice.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import classes from './mirror.module.css';
import { MirroredScreen } from './mirrored-screen.tsx';
import { screenHeightPx, type ScreenSize, SIZES } from './screen-size.ts';

/** Most screens that are shown at the same time, as each is a stream of pictures. */
const MAX_SCREENS = 12;

/** The height above the screens, px. In the window it has the top of the page, its title, and the bar; in full screen only the bar. */
const ABOVE_PX = 230;
const BAR_PX = 70;

const isRunning = ({ state }: Device): boolean => state === 'running';

/** Several phones side by side. While mirroring is on, input on one of them goes to all. */
export default function MirrorPage() {
  const mayChange = useRight('phones');
  const { data: devices = [], isSuccess } = useQuery(devicesQuery);
  const [chosen, setChosen] = useState<string[]>([]);
  const [isMirrored, setIsMirrored] = useState(true);
  const [phones] = useState(() => new Set<WatchedPhone>());
  const [size, setSize] = useState<ScreenSize>('fit');
  const { isFull, action: fullScreen } = useFullScreen();
  const { ref: list, width } = useElementSize<HTMLUListElement>();
  const window = useViewportSize();
  const running = devices.filter((device) => isRunning(device) && chosen.includes(device.name));
  const shown = running.slice(0, MAX_SCREENS);
  const ratio = Math.max(...shown.map(({ screen }) => screen.width / screen.height));
  const height = window.height - (isFull ? BAR_PX : ABOVE_PX);
  const screenPx = screenHeightPx(size, { count: shown.length, ratio }, { width, height });
  return (
    <div className={classes.page}>
      <PageHeader
        title="Side by side"
        description={
          mayChange ? 'Use several phones at once: input on one goes to all.' : 'See several phones at once.'
        }
      />
      {isSuccess && chosen.length === 0 && !devices.some(isRunning) ? (
        <NoneRuns hasPhones={devices.length > 0} />
      ) : (
        <Card title="Running phones">
          <DeviceChoice
            value={chosen}
            onChange={setChosen}
            isOffered={(device) => isRunning(device) || chosen.includes(device.name)}
            none="No phone is running. Start those that you want to see here."
          />
          {running.length < chosen.length && <p role="status">Some of them do not run now; they come back here.</p>}
          {running.length > MAX_SCREENS && <p role="status">The first {MAX_SCREENS} are shown.</p>}
          {mayChange && (
            <Switch
              mt="md"
              label="Mirror input to all of them"
              checked={isMirrored}
              onChange={({ currentTarget }) => setIsMirrored(currentTarget.checked)}
            />
          )}
        </Card>
      )}
      <div className={classes.screens} data-full={isFull}>
        {shown.length > 0 && (
          <div className={classes.bar} role="toolbar" aria-label="Size of the screens">
            <SegmentedControl aria-label="Size" data={[...SIZES]} value={size} onChange={setSize} size="xs" />
            <Tooltip label={fullScreen.label}>
              <ActionIcon variant="default" size="lg" aria-label={fullScreen.label} onClick={fullScreen.run}>
                <fullScreen.icon size={16} />
              </ActionIcon>
            </Tooltip>
          </div>
        )}
        <ul ref={list} className={classes.grid} style={{ '--screen-height': `${screenPx}px` } as CSSProperties}>
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

function NoneRuns({ hasPhones }: { hasPhones: boolean }) {
  const mayCreate = useRight('phones') && !hasPhones;
  return (
    <EmptyState
      title="No phone is running"
      icon={LayoutGrid}
      action={
        <Button component={Link} href={mayCreate ? '/phones/new' : '/phones'}>
          {mayCreate ? 'Create a phone' : 'Go to your phones'}
        </Button>
      }
    >
      {hasPhones ? 'Start those that you want to see here.' : 'Running phones are shown and used together here.'}
    </EmptyState>
  );
}
