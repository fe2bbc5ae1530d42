import { Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import Search from 'lucide-react/icons/search';
import { LoadedCode } from '../parts/loaded-code.tsx';
import classes from './palette.module.css';

/** Opens the command palette, as Ctrl+K and Cmd+K do anywhere, also on the screen of a phone. Its code is loaded when it is first opened. */
export function PaletteButton() {
  const [isOpen, { open, close }] = useDisclosure();
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Tooltip label="Ctrl K">
        <UnstyledButton className={classes.button} aria-label="Find pages, phones and actions" onClick={open}>
          <Search size={16} aria-hidden />
          <span className={classes.word}>Find</span>
        </UnstyledButton>
      </Tooltip>
      {isOpen && (
        <div className={classes.loading}>
          <LoadedCode
            what="the command palette"
            id="palette"
            load={() => import('./palette.tsx')}
            props={{ onClose: close }}
          />
        </div>
      )}
    </>
  );
}
