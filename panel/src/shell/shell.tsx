import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import Menu from 'lucide-react/icons/menu';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useAccountEvents } from '../api/account-events.ts';
import { countWords } from '../handovers/handover-words.ts';
import { useWaitingCount, WaitingNotice } from '../handovers/waiting-notice.tsx';
import { PaletteButton } from '../palette/palette-button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import { JobTray } from './job-tray.tsx';
import { Navigation } from './navigation.tsx';
import { Pages } from './pages.tsx';
import classes from './shell.module.css';

/** The frame of every page: navigation, account, running jobs. It is at the side of wide windows, and above the page in narrow ones. */
export function Shell() {
  const [isOpen, { open, close }] = useDisclosure();
  const [location] = useLocation();
  useEffect(() => close(), [location, close]);
  useAccountEvents();
  const waiting = useWaitingCount();
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        Skip to the page
      </a>
      <header className={classes.side}>
        <ActionIcon
          className={classes.burger}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={waiting === 0 ? 'Open the navigation' : `Open the navigation, ${countWords(waiting)}`}
          data-waiting={waiting > 0}
          onClick={open}
        >
          <Menu size={20} />
        </ActionIcon>
        <Brand />
        <PaletteButton />
        <nav className={classes.nav} aria-label="Main">
          <Navigation />
        </nav>
        <div className={classes.tools}>
          <AccountMenu />
          <ColorSchemeToggle />
        </div>
      </header>
      <Drawer.Root opened={isOpen} onClose={close} size={280} lockScroll={false}>
        <Drawer.Overlay />
        <Drawer.Content aria-label="Navigation">
          <div className={classes.drawerHead}>
            <Brand />
            <Drawer.CloseButton aria-label="Close" />
          </div>
          <Drawer.Body>
            <nav aria-label="Pages">
              <Navigation />
            </nav>
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
      <main id="main" className={classes.main} tabIndex={-1}>
        <Pages />
      </main>
      <JobTray />
      <WaitingNotice />
    </div>
  );
}
