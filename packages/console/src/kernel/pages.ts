/** A page of what is read, with the cursor of the next one; without it where it is the last. */
export interface CursoredPage {
  readonly next?: string | undefined
}

/** All pages, one after the other: the next one is read when it is asked for. */
export async function* pages<P extends CursoredPage>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void> {
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor)
    yield page
    if (page.next === undefined) return
    cursor = page.next
  }
}

/** Reads the items of the pages, until there are this many or more. */
export async function readAll<P extends CursoredPage, T>(
  read: (cursor: string | undefined) => Promise<P>,
  itemsIn: (page: P) => readonly T[],
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages(read)) {
    all.push(...itemsIn(page))
    if (all.length >= most) break
  }
  return all
}
