import type { CSSProperties } from 'react';

/** Returns the shape of a screen, for the stylesheet. */
export function ratioOf({ width, height }: { width: number; height: number }): CSSProperties {
  return { '--ratio': width / height } as CSSProperties;
}
