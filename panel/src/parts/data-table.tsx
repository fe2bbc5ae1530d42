import type { Key, ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  /** Heading of the column; empty for the one with the buttons. */
  label: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** Whether its texts of any length are broken into lines; other cells stay on one line. */
  wraps?: true;
  /** Width in a dense table. Absent: the room that the others leave. */
  width?: string;
}

interface Props<Row> {
  /** Name of the rows, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => Key;
  /** Whether a row is chosen for the next change. Absent: none is. */
  isChosen?: (row: Row) => boolean;
  /** Whether each row has 36 pixels, for long lists: long texts are cut off, and only phones show cards. Absent: no. */
  isDense?: boolean;
  /** Content that is shown when there are no rows. */
  empty?: ReactNode;
}

/** Font size around a dense table, px. The table becomes cards below 112 times this width, whatever the number of its columns. */
const DENSE_PX = 6.7;

/** A table; in narrow places each row is a card, so that nothing scrolls sideways. */
export function DataTable<Row>({ caption, columns, rows, keyOf, isChosen, isDense = false, empty }: Props<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <div
      className={isDense ? `${classes.tableWrap} ${classes.dense}` : classes.tableWrap}
      style={{ fontSize: `${isDense ? DENSE_PX : columns.length}px` }}
    >
      {/* Roles by name, as tables that are not displayed as tables lose them. */}
      <table className={classes.table} role="table" style={isDense ? { minWidth: leastWidth(columns) } : undefined}>
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ label, align, width }) => (
              <th
                key={label}
                role="columnheader"
                scope="col"
                data-align={align}
                style={isDense ? { width } : undefined}
              >
                {label === '' ? <span className="visually-hidden">Actions</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" data-row={keyOf(row)} data-chosen={isChosen?.(row)}>
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

/** Least width of a column without one of its own, in a dense table. */
const MIN_COLUMN = '5rem';

/** Returns the width below which the columns of a dense table would overlap. */
function leastWidth(columns: readonly { width?: string }[]): string {
  return `calc(${columns.map(({ width = MIN_COLUMN }) => width).join(' + ')})`;
}
