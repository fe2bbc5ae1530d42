import type { Key, ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  /** Heading of the column; empty for the one with the buttons. */
  label: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** For text of any length, which is broken into lines; other cells stay on one line. */
  wraps?: true;
}

interface Props<Row> {
  /** Name of the rows, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => Key;
  /** Shown when there are no rows. */
  empty?: ReactNode;
}

/** A table; in narrow places each row is a card, so that nothing scrolls sideways. */
export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: Props<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <div className={classes.tableWrap} style={{ fontSize: `${columns.length}px` }}>
      {/* Roles by name, as tables that are not displayed as tables lose them. */}
      <table className={classes.table} role="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ label, align }) => (
              <th key={label} role="columnheader" scope="col" data-align={align}>
                {label === '' ? <span className="visually-hidden">Actions</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ label, cell, align, wraps }) => (
                <td key={label} role="cell" data-label={label} data-align={align} data-wraps={wraps}>
                  {label === '' ? <div className={classes.rowActions}>{cell(row)}</div> : <div>{cell(row)}</div>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
