import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import Camera from 'lucide-react/icons/camera';
import { api, take } from '../api/client.ts';
import { takePicture } from '../api/phone-requests.ts';
import { saveFile } from '../parts/save-file.ts';

/** Saves the screen as a PNG with every pixel of the phone. */
export function ScreenshotButton({ name }: { name: string }) {
  const save = useMutation({
    mutationFn: async () => {
      saveFile(await take(takePicture(api, name)), `${name} ${new Date().toISOString().replaceAll(':', '-')}.png`);
    },
  });
  return (
    <Tooltip label={save.error?.message ?? 'Save a picture'}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="Save a picture"
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        <Camera size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
