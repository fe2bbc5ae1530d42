import { Button, type ButtonProps, Popover } from '@mantine/core';
import Play from 'lucide-react/icons/play';
import Power from 'lucide-react/icons/power';
import type { Device } from '../api/client.ts';
import { ErrorAlert } from './error-alert.tsx';
import { usePower } from './use-power.ts';

/** Starts a phone that is off, stops one that runs. Renders nothing while its state changes. */
export function PowerButton({ device, size }: { device: Device; size: ButtonProps['size'] }) {
  const { name, state, job } = device;
  const power = usePower(name);
  const isOn = state === 'running';
  if (!isOn && state !== 'stopped' && state !== 'failed') return null;
  return (
    <Popover opened={power.isError} onDismiss={power.reset} position="top-end" width={280} withArrow>
      <Popover.Target>
        <Button
          size={size ?? 'sm'}
          variant={isOn ? 'default' : 'light'}
          leftSection={isOn ? <Power size={14} /> : <Play size={14} />}
          loading={power.isPending}
          disabled={job !== undefined}
          onClick={() => power.mutate(isOn ? 'stop' : 'start')}
          aria-label={`${isOn ? 'Stop' : 'Start'} ${name}`}
        >
          {isOn ? 'Stop' : 'Start'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <ErrorAlert error={power.error} />
      </Popover.Dropdown>
    </Popover>
  );
}
