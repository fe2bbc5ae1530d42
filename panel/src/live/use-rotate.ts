import { useMutation } from '@tanstack/react-query';
import RotateCcwSquare from 'lucide-react/icons/rotate-ccw-square';
import { api, take } from '../api/client.ts';
import type { Action } from '../parts/action.ts';
import type { LiveScreenSize } from './live-connection.ts';

/** Returns the action that turns the phone to landscape, or from landscape back to upright. */
export function useRotate(name: string, screen: LiveScreenSize | undefined): { action: Action; error: Error | null } {
  const isLandscape = screen !== undefined && screen.rotation % 2 === 1;
  const rotate = useMutation({
    mutationFn: () => {
      const body = {
        rotate: { to: isLandscape ? ('portrait' as const) : ('landscape' as const) },
        observe: 'none' as const,
      };
      return take(api.POST('/v1/devices/{name}/act', { params: { path: { name } }, body }));
    },
  });
  return {
    action: {
      id: 'rotate',
      label: isLandscape ? 'Turn upright' : 'Turn to landscape',
      icon: RotateCcwSquare,
      run: () => rotate.mutate(),
      isPending: rotate.isPending,
    },
    error: rotate.error,
  };
}
