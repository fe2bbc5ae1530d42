/** A cell: text from any source, or a number that is already in its decimal form. */
export type CsvCell = string | { number: string };

/**
 * Returns a table as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front, so that the spreadsheet
 * shows it as text. Numbers are left as they are.
 */
export function csvTable(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell.number;
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
