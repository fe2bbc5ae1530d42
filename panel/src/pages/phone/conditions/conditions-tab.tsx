import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../../api/client.ts';
import { modelsQuery } from '../../../api/offers.ts';
import { Fetched } from '../../../parts/fetched.tsx';
import { ConditionCard, type Texts } from './condition-card.tsx';

/** Sets the place, battery and connection that a phone sees, where its model offers them. */
export default function ConditionsTab({ device }: { device: Device }) {
  const query = useQuery(modelsQuery);
  return (
    <Fetched query={query} what="the models">
      {(models) => {
        const offered = models.find(({ model }) => model === device.model)?.conditions ?? [];
        return (
          <>
            {offered.includes('location') && <LocationCard device={device} />}
            {offered.includes('battery') && <BatteryCard device={device} />}
            {offered.includes('network') && <NetworkCard device={device} />}
          </>
        );
      }}
    </Fetched>
  );
}

const place = (label: string, latitude: string, longitude: string) => ({ label, texts: { latitude, longitude } });
const PLACES = [
  place('Berlin', '52.520008', '13.404954'),
  place('London', '51.507351', '-0.127758'),
  place('New York', '40.712776', '-74.005974'),
  place('São Paulo', '-23.550520', '-46.633308'),
  place('Tokyo', '35.689487', '139.691711'),
];

function LocationCard({ device }: { device: Device }) {
  return (
    <ConditionCard
      device={device}
      word="location"
      title="Location"
      description="Where the phone is, for its maps and apps. Its network exit stays as it is."
      first={textsOf(device.conditions?.location)}
      fields={[
        { name: 'latitude', label: 'Latitude', description: '-90 to 90' },
        { name: 'longitude', label: 'Longitude', description: '-180 to 180' },
        { name: 'altitude', label: 'Altitude', description: 'Metres, 0 if empty' },
      ]}
      presets={PLACES}
    />
  );
}

const LEVELS = [
  { label: 'Full', texts: { level: '100' } },
  { label: 'Low', texts: { level: '15' } },
  { label: 'Nearly empty', texts: { level: '3' } },
];

function BatteryCard({ device }: { device: Device }) {
  const [charging, setCharging] = useState(device.conditions?.battery?.charging ?? false);
  return (
    <ConditionCard
      device={device}
      word="battery"
      title="Battery"
      description="It stays at this level: it neither charges nor runs down."
      first={textsOf(device.conditions?.battery)}
      fields={[{ name: 'level', label: 'Level', description: 'Percent, 0 to 100' }]}
      presets={LEVELS}
      more={{ charging }}
    >
      <Switch
        label="At a charger"
        checked={charging}
        onChange={({ currentTarget }) => setCharging(currentTarget.checked)}
      />
    </ConditionCard>
  );
}

const CONNECTIONS = [
  { label: 'LTE', texts: { latency_ms: '50', kbps: '20000' } },
  { label: '3G', texts: { latency_ms: '200', kbps: '1500' } },
  { label: 'EDGE', texts: { latency_ms: '500', kbps: '200' } },
  { label: 'Bad reception', texts: { latency_ms: '400', loss: '0.2', kbps: '500' } },
  { label: 'Nothing gets through', texts: { loss: '1' } },
];

function NetworkCard({ device }: { device: Device }) {
  return (
    <ConditionCard
      device={device}
      word="network"
      title="Connection"
      description="How good the phone's own connection is. Its screen here is as fast as ever."
      first={textsOf(device.conditions?.network)}
      fields={[
        { name: 'latency_ms', label: 'Delay', description: 'Milliseconds, 0 to 10,000' },
        { name: 'loss', label: 'Loss', description: 'Fraction, 0 to 1' },
        { name: 'kbps', label: 'Speed', description: 'Kilobits a second, no limit if empty' },
      ]}
      presets={CONNECTIONS}
    />
  );
}

/** Returns the numbers of a member as texts. */
function textsOf(member: object | undefined): Texts {
  const numbers = Object.entries(member ?? {}).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(numbers.map(([name, value]) => [name, String(value)]));
}
