import { useQuery } from '@tanstack/react-query';
import { catalogueQuery, libraryQuery } from './offers.ts';

/** Apps to choose from, in groups. */
export interface AppChoices {
  group: string;
  items: { value: string; label: string }[];
}

/** Returns the apps that can be installed: those of the account's library, and those of the operator's catalogue. */
export function useAppChoices(): AppChoices[] {
  const { data: own = [] } = useQuery(libraryQuery);
  const { data: catalogue = [] } = useQuery(catalogueQuery);
  return [
    {
      group: 'Your library',
      items: own.map(({ name, version }) => ({ value: `my/${name}`, label: `my/${name} ${version}`.trim() })),
    },
    {
      group: 'Catalogue',
      items: catalogue.map(({ app, name, version }) => ({ value: app, label: `${name} ${version}` })),
    },
  ].filter(({ items }) => items.length > 0);
}
