import type { CSSProperties } from 'react';

/** The shape of a screen, for the stylesheet. */
export function ratioOf({ width, height }: { width: number; height: number }): CSSProperties {
  return { '--ratio': width / height } as CSSProperties;
}
