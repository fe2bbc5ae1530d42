import type { ReactNode } from 'react';
import type { Right } from '../api/rights.ts';
import { useRight } from '../api/use-right.ts';

/** Shows its content to people whose role has the right, and nothing to others. */
export function ForRight({ right, children }: { right: Right; children: ReactNode }) {
  return useRight(right) ? children : null;
}
