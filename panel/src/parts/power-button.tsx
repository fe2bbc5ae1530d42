import { ActionIcon, Button, type ButtonProps, Popover } from '@mantine/core';
import Play from 'lucide-react/icons/play';
import Power from 'lucide-react/icons/power';
import type { Device } from '../api/client.ts';
import { useRight } from '../api/use-right.ts';
import { holdOf } from './hold.ts';
import { ErrorAlert } from './error-alert.tsx';
import { usePower } from './use-power.ts';

interface Props {
  device: Device;
  size: ButtonProps['size'];
  /** `main`: it is the main action of the page. `icon`: it has no word, where there are many. Absent: it is one of several actions. */
  look?: 'main' | 'icon';
}

/** Starts a phone that is off, or stops one that runs. Renders nothing while its state changes, and for people who may only look. */
export function PowerButton({ device, size, look }: Props) {
  const { name, state, job } = device;
  const power = usePower(name);
  const mayChange = useRight('phones');
  const isOn = state === 'running';
  if (!mayChange || (!isOn && state !== 'stopped' && state !== 'failed')) return null;
  const word = isOn ? 'Stop' : 'Start';
  const Icon = isOn ? Power : Play;
  const hold = holdOf(device);
  const common = {
    loading: power.isPending,
    disabled: job !== undefined || hold !== undefined,
    title: hold ?? word,
    onClick: () => power.mutate(isOn ? 'stop' : 'start'),
    'aria-label': `${word} ${name}`,
  };
  return (
    <Popover opened={power.isError} onDismiss={power.reset} position="top-end" width={280} withArrow>
      <Popover.Target>
        {look === 'icon' ? (
          <ActionIcon variant="subtle" color="gray" {...common}>
            <Icon size={16} />
          </ActionIcon>
        ) : (
          <Button
            size={size ?? 'sm'}
            variant={look === 'main' ? 'filled' : 'default'}
            leftSection={<Icon size={14} />}
            {...common}
          >
            {word}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <ErrorAlert error={power.error} />
      </Popover.Dropdown>
    </Popover>
  );
}
