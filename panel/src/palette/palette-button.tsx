import { UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import Search from 'lucide-react/icons/search';
import { useState } from 'react';
import { LoadedCode } from '../parts/loaded-code.tsx';
import classes from './palette.module.css';
import { useTypedAhead } from './use-typed-ahead.ts';

/** The keys that open the palette, as the person's keyboard names them. */
const KEYS = /^Mac|^iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** Opens the command palette, as Ctrl+K and Cmd+K do anywhere, also on the screen of a phone. Its code is loaded when it is first opened. */
export function PaletteButton() {
  const [query, setQuery] = useState('');
  const [isOpen, { open, close }] = useDisclosure(false, { onOpen: () => setQuery('') });
  useTypedAhead(isOpen, setQuery);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <UnstyledButton className={classes.button} aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        <Search size={16} aria-hidden />
        <span className={classes.word}>
          Find<span className="visually-hidden"> pages, phones and actions</span>
        </span>
        <kbd className={classes.key}>{KEYS}</kbd>
      </UnstyledButton>
      {isOpen && (
        <div className={classes.loading}>
          <LoadedCode
            what="the command palette"
            id="palette"
            load={() => import('./palette.tsx')}
            props={{ query, onQuery: setQuery, onClose: close }}
          />
        </div>
      )}
    </>
  );
}
