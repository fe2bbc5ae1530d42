import { Modal } from '@mantine/core';
import CornerDownLeft from 'lucide-react/icons/corner-down-left';
import Search from 'lucide-react/icons/search';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { foundIn, type PaletteRow } from './palette-rows.ts';
import classes from './palette.module.css';
import { usePaletteGroups } from './use-palette-groups.ts';

interface Props {
  /** The typed text, which may be typed before this code is loaded. */
  query: string;
  onQuery: (query: string) => void;
  onClose: () => void;
}

/**
 * The command palette. It has pages, phones by name, and actions on the open phone. The first row is chosen when it opens and with every
 * letter, so that Enter always does something. To screen readers it is a text field with a list of options.
 */
export default function Palette({ query, onQuery, onClose }: Props) {
  const [chosen, setChosen] = useState(0);
  const [isOpen, setIsOpen] = useState(true);
  // The next page takes the focus itself.
  const [returnsFocus, setReturnsFocus] = useState(true);
  const groups = foundIn(usePaletteGroups(), query);
  const rows = groups.flatMap((group) => group.rows);
  const current = Math.min(chosen, rows.length - 1);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current, query]);
  const take = (row: PaletteRow | undefined): void => {
    if (row === undefined) return;
    setReturnsFocus(!row.isNavigation);
    setIsOpen(false);
    row.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && rows.length > 0) setChosen((current + step + rows.length) % rows.length);
    else if (event.key === 'Enter') take(rows[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal.Root
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      onExitTransitionEnd={onClose}
      transitionProps={{ duration: 0 }}
      returnFocus={returnsFocus}
      lockScroll={false}
      yOffset="12vh"
      size={560}
      radius={12}
      classNames={{ content: classes.palette }}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label="Command palette">
        <div className={classes.search}>
          <Search size={16} aria-hidden />
          <input
            role="combobox"
            aria-label="Find pages, phones and actions"
            aria-expanded
            aria-controls={`${id}-rows`}
            aria-activedescendant={rows.length === 0 ? undefined : `${id}-${current}`}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder="Page, phone or action"
            value={query}
            onChange={({ currentTarget }) => {
              onQuery(currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
            data-autofocus
          />
          <kbd className={classes.key}>Esc</kbd>
        </div>
        <div ref={list} id={`${id}-rows`} role="listbox" aria-label="Found" className={classes.rows}>
          {groups.map(({ title, rows: shown }, group) => (
            <div key={title} role="group" aria-labelledby={`${id}-group-${group}`}>
              <p id={`${id}-group-${group}`} className={classes.title}>
                {title}
              </p>
              {shown.map((row) => {
                const index = rows.indexOf(row);
                return (
                  <Row
                    key={row.id}
                    id={`${id}-${index}`}
                    row={row}
                    isChosen={index === current}
                    onPoint={() => setChosen(index)}
                    onTake={() => take(row)}
                  />
                );
              })}
            </div>
          ))}
        </div>
        {rows.length === 0 && (
          <p role="status" className={classes.nothing}>
            Nothing of this name
          </p>
        )}
      </Modal.Content>
    </Modal.Root>
  );
}

interface RowProps {
  id: string;
  row: PaletteRow;
  isChosen: boolean;
  onPoint: () => void;
  onTake: () => void;
}

/** A row of the list. It is no button, as the field keeps the focus, and its keys move through the list. */
function Row({ id, row: { label, icon: Icon, note }, isChosen, onPoint, onTake }: RowProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.row}
      onPointerMove={isChosen ? undefined : onPoint}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <Icon size={16} aria-hidden />
      <span className={classes.label}>{label}</span>
      {note !== undefined && <span className={classes.note}>{note}</span>}
      {isChosen && <CornerDownLeft size={14} aria-hidden />}
    </div>
  );
}
