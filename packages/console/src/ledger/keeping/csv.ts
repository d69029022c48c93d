export type CsvValue = string | number | undefined

/** The names of the columns. A byte order mark comes first: without it, Excel takes UTF-8 for another encoding. */
export const csvHead = (names: readonly string[]) => `\ufeff${names.join(',')}\r\n`

/** One line of a file (RFC 4180). What people wrote cannot be a formula: see `textCell`. */
export const csvLine = (values: readonly CsvValue[]) => `${values.map(cellOf).join(',')}\r\n`

/** In UTC, as ISO 8601. */
export function csvTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}

function cellOf(value: CsvValue): string {
  return typeof value === 'string' ? textCell(value) : String(value ?? '')
}

/**
 * Text that a spreadsheet would take for a formula gets an apostrophe before it: after the beginning
 * of the cell, and after what a spreadsheet may take for the beginning of another one. In German
 * Excel, for example, a semicolon ends a cell, whatever the quotes say, and quotes that follow it are
 * taken away. Control characters are replaced, but for those.
 */
function textCell(text: string): string {
  const safe = text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\r\n]/gu, '\ufffd')
    .replaceAll(/(?<=^|[;|\t\r\n])(?=[\s"]*[=+\-@＝＋－＠\t\r])/gu, "'")
  return /[",;|\t\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
