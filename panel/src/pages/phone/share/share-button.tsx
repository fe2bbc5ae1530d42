import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import Share2 from 'lucide-react/icons/share-2';
import type { Device } from '../../../api/client.ts';
import { Changing } from '../../../leases/changing.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { MakeShare } from './make-share.tsx';
import { ShareList } from './share-list.tsx';

/** Opens the dialog in which links to a phone's live screen are made and ended. */
export function ShareButton({ device }: { device: Device }) {
  const { name } = device;
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" size="sm" leftSection={<Share2 size={16} />} onClick={dialog.open}>
        Share
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={`Share the screen of ${name}`}>
        {isOpen && (
          <>
            <Changing device={device}>
              <MakeShare name={name} />
            </Changing>
            <ShareList name={name} />
          </>
        )}
      </Dialog>
    </>
  );
}
