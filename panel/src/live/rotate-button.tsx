import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import RotateCcwSquare from 'lucide-react/icons/rotate-ccw-square';
import { api, take } from '../api/client.ts';
import type { LiveScreenSize } from './live-connection.ts';

/** Turns the phone by a quarter, and back. */
export function RotateButton({ name, screen }: { name: string; screen: LiveScreenSize | undefined }) {
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
  const label = rotate.error?.message ?? (isLandscape ? 'Turn upright' : 'Turn to landscape');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={isLandscape ? 'Turn upright' : 'Turn to landscape'}
        loading={rotate.isPending}
        onClick={() => rotate.mutate()}
      >
        <RotateCcwSquare size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
