import type { World } from './world.ts'

/** What the status lists answer. */
export async function askForStatusLists(world: World): Promise<void> {
  const { id } = await world.start()
  const { body } = await world.get(`/${id}`)
  const all = `${world.issuer}/status-lists`
  for (const url of [all, String(body.status.uri)]) {
    const { headers } = await fetch(url)
    for (const sent of [
      { 'accept-encoding': 'identity' },
      // Without the second, `fetch` forbids caches to answer with 304.
      { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
      { accept: 'image/png' },
    ]) {
      await fetch(url, { headers: sent })
    }
    await fetch(url, { method: 'POST' })
  }
  await fetch(`${all}/${'A'.repeat(22)}`)
  await fetch(`${body.status.uri}?time=1`)
}

/** What they answer where the storage fails, and this process has kept no copy yet. */
export async function askForStatusListsInTrouble({ issuer, faults }: World): Promise<void> {
  for (const method of ['find', 'list', 'endedIndices']) faults.add(`SubjectToken.${method}`)
  await fetch(`${issuer}/status-lists`)
  await fetch(`${issuer}/status-lists/${'A'.repeat(22)}`)
  faults.clear()
}
