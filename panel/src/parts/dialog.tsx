import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}

/** A dialog. It does not use the title of Mantine's Modal, whose header element is a second banner of the page to screen readers. */
export function Dialog({ opened, onClose, title, children }: Props) {
  return (
    <Modal.Root opened={opened} onClose={onClose} lockScroll={false} centered>
      <Modal.Overlay />
      <Modal.Content radius="lg">
        <div className={classes.dialogHead}>
          <Modal.Title className={classes.dialogTitle}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
