import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import type { WatchedPhone } from '../../live/watched-phone.ts';
import { Card } from '../../parts/card.tsx';
import { DeviceChoice } from '../../parts/device-choice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import classes from './mirror.module.css';
import { MirroredScreen } from './mirrored-screen.tsx';

/** Screens that are shown at once at the most: each is a stream of pictures. */
const SCREENS_MOST = 12;

const isRunning = ({ state }: Device): boolean => state === 'running';

/** Several phones side by side. While mirroring is on, input on one of them goes to all. */
export default function MirrorPage() {
  const { data: devices = [] } = useQuery(devicesQuery);
  const [chosen, setChosen] = useState<string[]>([]);
  const [isMirrored, setIsMirrored] = useState(true);
  const [phones] = useState(() => new Set<WatchedPhone>());
  const running = devices.filter((device) => isRunning(device) && chosen.includes(device.name));
  return (
    <>
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
      <ul className={classes.grid}>
        {running.slice(0, SCREENS_MOST).map(({ name }) => (
          <li key={name}>
            <MirroredScreen name={name} phones={phones} isMirrored={isMirrored} />
          </li>
        ))}
      </ul>
    </>
  );
}
