import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { devicesQuery } from '../../api/devices.ts';
import { Card } from '../../parts/card.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { DeviceChoice } from '../groups/device-choice.tsx';
import type { LiveSession } from '../phone/live/live-session.ts';
import classes from './mirror.module.css';
import { MirroredScreen } from './mirrored-screen.tsx';

/** Screens that are shown at once at the most: each is a stream of pictures. */
const SCREENS_MOST = 12;

/** Several phones side by side. What is done on one of them is done on all, for as long as that is turned on. */
export default function MirrorPage() {
  const { data: devices } = useQuery(devicesQuery);
  const [chosen, setChosen] = useState<string[]>([]);
  const [isMirrored, setIsMirrored] = useState(true);
  const [sessions] = useState(() => new Set<LiveSession>());
  const running = devices?.filter(({ name, state }) => state === 'running' && chosen.includes(name)) ?? [];
  const shown = running.slice(0, SCREENS_MOST);
  const off = chosen.length - running.length;
  return (
    <>
      <PageHeader title="Side by side" description="Use several phones at once: what you do on one is done on all." />
      <Card title="Phones">
        <DeviceChoice value={chosen} onChange={setChosen} />
        {off > 0 && (
          <p role="status">{off === 1 ? 'One of them does' : `${off} of them do`} not run. Start them first.</p>
        )}
        {running.length > SCREENS_MOST && <p role="status">The first {SCREENS_MOST} are shown.</p>}
        <Switch
          mt="md"
          label="Mirror input to all of them"
          checked={isMirrored}
          onChange={(event) => setIsMirrored(event.currentTarget.checked)}
        />
      </Card>
      <ul className={classes.grid}>
        {shown.map(({ name }) => (
          <li key={name}>
            <MirroredScreen name={name} sessions={sessions} isMirrored={isMirrored} />
          </li>
        ))}
      </ul>
    </>
  );
}
