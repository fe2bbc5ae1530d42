import { hasRight } from '../api/rights.ts';
import { useRole } from '../api/use-right.ts';
import { useBilling } from '../parts/prices.ts';
import { type Page, PAGES } from './registry.ts';

/**
 * Returns the pages of this installation. Pages about money exist only where the installation charges money. `unknown` decides until that
 * is known. With `hide`, links are hidden, as they might go away again. With `show`, an address that was opened is not refused.
 */
export function useShownPages(unknown: 'hide' | 'show'): readonly Page[] {
  const isBilled = useBilling() ?? unknown === 'show';
  return PAGES.filter(({ isMoney = false }) => isBilled || !isMoney);
}

/** Returns the pages of this installation that the person's role includes, for links to them. */
export function useOfferedPages(): readonly Page[] {
  const role = useRole();
  return useShownPages('hide').filter(({ needs }) => needs === undefined || hasRight(role, needs));
}
