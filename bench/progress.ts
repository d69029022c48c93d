/**
 * Shows the state of a long run on one line that is overwritten. Without a terminal, it prints each
 * text on a line.
 */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text && text !== lastText) process.stderr.write(`${text}\n`)
  lastText = text
}

let lastText = ''
