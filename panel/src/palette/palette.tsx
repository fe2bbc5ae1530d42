import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import Search from 'lucide-react/icons/search';
import { useEffect } from 'react';
import classes from './palette.module.css';
import { usePaletteActions } from './palette-actions.ts';

const [store, { open: openSpotlight }] = createSpotlight();

/** Actions that are shown at a time; the rest is found by typing. */
const SHOWN = 40;

/** The command palette: pages, phones by name, and what can be done with the open phone. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const actions = usePaletteActions();
  useEffect(openSpotlight, []);
  return (
    <Spotlight
      store={store}
      actions={actions}
      limit={SHOWN}
      shortcut={null}
      lockScroll={false}
      scrollable
      maxHeight={420}
      nothingFound="Nothing of this name"
      onSpotlightClose={onClose}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      classNames={{ actionDescription: classes.description }}
      searchProps={{
        placeholder: 'Page, phone or action',
        'aria-label': 'Find pages, phones and actions',
        leftSection: <Search size={18} aria-hidden />,
        classNames: { input: classes.search },
      }}
    />
  );
}
