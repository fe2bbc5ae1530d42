import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Trash2 from 'lucide-react/icons/trash-2';
import type { Device } from '../api/client.ts';
import { useRight } from '../api/use-right.ts';
import { holdOf } from './hold.ts';
import { ConfirmByName } from './confirm-by-name.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorAlert } from './error-alert.tsx';
import { usePower } from './use-power.ts';

/** The less frequent operations on a phone: restart, delete. Renders nothing for people who may only look. */
export function PhoneMenu({ device, onDeleted }: { device: Device; onDeleted?: () => void }) {
  const { name, state, job } = device;
  const hold = holdOf(device);
  const restart = usePower(name);
  const remove = usePower(name);
  const [isAsking, asking] = useDisclosure();
  const mayChange = useRight('phones');
  const confirm = (): void =>
    remove.mutate('delete', {
      onSuccess: () => {
        asking.close();
        onDeleted?.();
      },
    });
  if (!mayChange) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${name}`}>
            <EllipsisVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<RotateCw size={16} />}
            disabled={state !== 'running' || job !== undefined || hold !== undefined}
            title={hold}
            onClick={() => restart.mutate('restart')}
          >
            Restart
          </Menu.Item>
          <Menu.Item
            leftSection={<Trash2 size={16} />}
            color="var(--panel-bad)"
            disabled={hold !== undefined}
            title={hold}
            onClick={asking.open}
          >
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={restart.isError} onClose={restart.reset} title={`${name} was not restarted`}>
        <ErrorAlert error={restart.error} />
      </Dialog>
      <ConfirmByName
        opened={isAsking}
        onClose={asking.close}
        title={`Delete ${name}?`}
        name={name}
        confirmLabel="Delete phone"
        onConfirm={confirm}
        isPending={remove.isPending}
        error={remove.error}
      >
        The phone, everything on it and its snapshots will be gone for good. Clones that were made of them stay.
      </ConfirmByName>
    </>
  );
}
