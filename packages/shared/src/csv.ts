/** Cell of a table; null is empty. */
export type CsvCell = string | number | null

// First characters that spreadsheets parse as a formula. Source: OWASP, CSV injection.
const FORMULA = /^[=+\-@\t\r\n]/

/** Writes the rows of a table as CSV, in which no text is a formula. Source: RFC 4180 section 2. */
export function writeCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(value: CsvCell): string {
  if (value === null || typeof value === 'number') return `${value ?? ''}`
  const text = value.replace(FORMULA, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
