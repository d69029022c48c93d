import { MAX_COUNTED } from '../../kernel/limits.ts'

let [title, count] = [document.title, 0]

/** Names the page in the tab of the browser. */
export function setTitle(name: string): void {
  title = name
  show()
}

/** How much waits for the reader: it stands before the name of the page. */
export function setTitleCount(waiting: number): void {
  count = waiting
  show()
}

function show(): void {
  const shown = count > MAX_COUNTED ? `>${MAX_COUNTED}` : String(count)
  document.title = count === 0 ? title : `(${shown}) ${title}`
}
