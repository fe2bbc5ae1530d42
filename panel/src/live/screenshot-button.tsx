import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import Camera from 'lucide-react/icons/camera';
import { faultOf, fetchOrExplain } from '../api/client.ts';
import { saveFile } from '../parts/save-file.ts';

/** Saves the screen as a PNG with every pixel of the phone. */
export function ScreenshotButton({ name }: { name: string }) {
  const save = useMutation({
    mutationFn: async () => {
      const url = `/v1/devices/${encodeURIComponent(name)}/screenshot`;
      const response = await fetchOrExplain(new Request(url));
      if (!response.ok) throw faultOf(response, await response.json().catch(() => undefined));
      saveFile(await response.blob(), `${name} ${new Date().toISOString().replaceAll(':', '-')}.png`);
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
