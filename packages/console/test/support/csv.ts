import { expect } from 'chai'

/** Reads CSV as RFC 4180 has it, and refuses all else. */
export function parseCsv(text: string) {
  const rows: string[][] = [[]]
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/gy
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, value = '', end] = cell.exec(text) ?? expect.fail(`no CSV at ${at}`)
    rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === '\r\n' && cell.lastIndex < text.length) rows.push([])
  }
  return rows
}

/** Reads each line by the names of the columns. */
export function csvRecords(text: string) {
  const [names = [], ...rows] = parseCsv(text.replace('\ufeff', ''))
  return rows.map((row) => {
    expect(row).to.have.length(names.length)
    return Object.fromEntries(names.map((name, index) => [name, row[index] ?? '']))
  })
}

/** An id of the export: one that begins with a hyphen stands there with an apostrophe before it. */
export const idIn = (cell = '') => cell.replace(/^'(?=-)/, '')
