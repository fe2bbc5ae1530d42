import { useMutation } from '@tanstack/react-query';
import Camera from 'lucide-react/icons/camera';
import { api, take } from '../api/client.ts';
import { takePicture } from '../api/phone-requests.ts';
import type { Action } from '../parts/action.ts';
import { saveFile } from '../parts/save-file.ts';

/** Returns the action that saves the screen as a PNG with every pixel of the phone. */
export function useScreenshot(name: string): { action: Action; error: Error | null } {
  const save = useMutation({
    mutationFn: async () => {
      saveFile(await take(takePicture(api, name)), `${name} ${new Date().toISOString().replaceAll(':', '-')}.png`);
    },
  });
  return {
    action: {
      id: 'screenshot',
      label: 'Save a picture',
      icon: Camera,
      run: () => save.mutate(),
      isPending: save.isPending,
    },
    error: save.error,
  };
}
