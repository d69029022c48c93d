/** The banner that marks the title of the page: one at a time, so that two do not mark it in turns. */
let marked: { by: object; own: string; shown: string } | undefined

/**
 * Marks the title of the page, or gives it back what it was. What the application makes of it meanwhile
 * is kept.
 *
 * @param mark makes the title of the application's own; without it, the title is no longer marked
 */
export function markTitle(by: object, mark?: (own: string) => string): void {
  if (marked && marked.by !== by) return
  const { title } = document
  const isOurs = title === marked?.shown
  const own = isOurs && marked ? marked.own : title
  if (mark) document.title = mark(own)
  else if (isOurs) document.title = own
  // Browsers leave out white space: what they made of it is what is found the next time.
  marked = mark && { by, own, shown: document.title }
}
