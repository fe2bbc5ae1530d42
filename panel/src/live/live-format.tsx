import { Text } from '@mantine/core';
import type { Live } from './use-live.ts';

const NAMES = { h264: 'Live video (H.264)', jpeg: 'Live pictures (JPEG)' } as const;

/** Shows in which form the live screen comes. */
export function LiveFormat({ live: { format } }: { live: Live }) {
  return (
    <Text size="xs" c="dimmed" mih="1.2rem" data-format={format}>
      {format === undefined ? '' : NAMES[format]}
    </Text>
  );
}
